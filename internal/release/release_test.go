//go:build unix

package release_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What a release consists of is tested where its packages are installed, in test/maillab.
func TestARequestThatMakesNoReleaseIsRefused(t *testing.T) {
	for _, c := range []struct{ version, dist, want string }{
		{"", filepath.Join(t.TempDir(), "dist"), "is no version"},
		{"v1.0.0", filepath.Join(t.TempDir(), "dist"), "is no version"},
		{"1.0.0", t.TempDir(), "File exists"},
	} {
		if out, err := exec.Command("./release.sh", c.version, c.dist).CombinedOutput(); err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("version %q into %s: got %v and %s, want %q", c.version, c.dist, err, out, c.want)
		}
	}
}
