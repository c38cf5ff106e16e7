package lineartest_test

import (
	"bytes"
	"testing"

	"chaff/internal/lineartest"
)

func TestLinearWorkPasses(t *testing.T) {
	lineartest.Check(t, func(size int) func() {
		text := bytes.Repeat([]byte("ab"), size/2)
		return func() { bytes.Count(text, []byte("ba")) }
	})
}
