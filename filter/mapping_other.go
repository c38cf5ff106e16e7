//go:build !linux

package filter

import "time"

// mapping is unused: model files are mapped on Linux only.
type mapping struct{ data []byte }

func mapFile(string, time.Time) *mapping { return nil }

func (*mapping) changed() bool { return false }

func (*mapping) catch(bool) {}

func (*mapping) close() error { return nil }
