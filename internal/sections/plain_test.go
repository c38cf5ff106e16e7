package sections

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestAFileThatIsReadIsNotClosed reads to the end of files that nothing but the reader refers to, which takes two calls, while garbage is
// collected.
func TestAFileThatIsReadIsNotClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	buffer := make([]byte, 5<<20)
	for i := range 300 {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := Plain(file).ReadAt(buffer, 0); n != 4<<20 || err != io.EOF {
			t.Errorf("%d: %d bytes, %v", i, n, err)
			break
		}
	}
	close(stop)
	<-stopped
}
