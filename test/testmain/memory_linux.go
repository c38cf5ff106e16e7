package testmain

import "golang.org/x/sys/unix"

// memory returns the folder in memory that Linux shares among all users. It must be large, since some containers have one of 64 MiB, and
// run programs.
func memory() (dir string, ok bool) {
	const shared, room = "/dev/shm", 1 << 30
	var s unix.Statfs_t
	if unix.Statfs(shared, &s) != nil || unix.Access(shared, unix.W_OK|unix.X_OK) != nil {
		return "", false
	}
	inMemory := s.Type == unix.TMPFS_MAGIC && s.Flags&unix.ST_NOEXEC == 0
	return shared, inMemory && s.Bavail*uint64(s.Bsize) >= room
}
