//go:build !linux

package delivery

// hasRoom reports true: limits are unknown on this system.
func hasRoom(int) bool { return true }
