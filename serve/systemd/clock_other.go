//go:build !linux

package systemd

import "time"

// monotonic returns 0: systemd needs Linux.
func monotonic() time.Duration { return 0 }
