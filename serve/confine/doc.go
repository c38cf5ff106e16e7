// Package confine takes from the process of the daemon what it does not need: files, network connections, and programs with more rights.
//
//	version, err := confine.Process(confine.Rights{Folders: []string{"/var/lib/chaff"}})
//
// It uses Landlock, which Linux has from version 5.13 on. What a process has opened before stays open, and what it has lost does not come
// back. Other systems, and kernels without Landlock, confine nothing.
package confine

// Rights are what the process keeps. Files and folders that do not exist are left out.
type Rights struct {
	// Folders are where it reads, writes, makes and removes files and folders.
	Folders []string
	// Files are what it reads: files, or all in a folder.
	Files []string
	// Sockets are folders where it removes the sockets that it has made.
	Sockets []string
	// Ports are the TCP ports that it connects to.
	Ports []uint16
}

// The versions of Landlock that bring limits on files, and on TCP ports. Multipath TCP and UDP are not confined.
const (
	FileVersion    = 1
	NetworkVersion = 4
)
