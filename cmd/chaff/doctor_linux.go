package main

import "syscall"

// freeOnDisk returns how many bytes this user may still write in a folder.
func freeOnDisk(folder string) (free int64, known bool) {
	var disk syscall.Statfs_t
	if syscall.Statfs(folder, &disk) != nil {
		return 0, false
	}
	return int64(disk.Bavail) * int64(disk.Bsize), true
}

// sameOwner reports whether two files belong to one user, as far as it can be known.
func sameOwner(a, b string) bool {
	var of [2]syscall.Stat_t
	return syscall.Stat(a, &of[0]) != nil || syscall.Stat(b, &of[1]) != nil || of[0].Uid == of[1].Uid
}
