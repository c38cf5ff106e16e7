//go:build !linux

package filter

import "time"

// mapping is a mapped model file. Only on Linux does chaff map files; elsewhere it copies them.
type mapping struct{}

func mapFile(path string, _ time.Time) ([]byte, *mapping, error) {
	data, err := load(path)
	return data, nil, err
}

func (*mapping) changed() bool { return false }

func (*mapping) catch(bool) {}

func (*mapping) close() error { return nil }
