//go:build !linux

package confine

// Process confines nothing: this system has no Landlock.
func Process(Rights) (Limits, error) { return Limits{}, nil }
