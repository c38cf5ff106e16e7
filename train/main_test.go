package train

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often than a program would: the tests are short, and up to a fifth of their time is the collector's.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
