//go:build !linux

package delivery

// hasRoom reports whether there is memory to judge a message, where nothing says that there is not.
func hasRoom(int) bool { return true }
