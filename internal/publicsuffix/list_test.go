package publicsuffix

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	original "golang.org/x/net/publicsuffix"
)

var update = flag.Bool("update", false, "copy the table of golang.org/x/net/publicsuffix")

func TestTheTableIsThatOfTheModule(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"table.go", "data/text", "data/nodes", "data/children"} {
		want, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "publicsuffix", name))
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not that of the module, error %v: `go test ./internal/publicsuffix -update` copies it", name, err)
		}
	}
}

func TestNamesHaveTheSuffixesThatTheModuleSays(t *testing.T) {
	names := []string{"", ".", "com", "a.com", ".a.com", "a..com", "a.com.", "127.0.0.1", "::1", "b.a.co.uk", "city.kawasaki.jp", "x.y.kawasaki.jp", "a.b.cromulent", "A.COM"}
	random := rand.New(rand.NewPCG(1, 1))
	all := len(nodes) * 8 / nodesBits
	for range 50_000 { // of labels that the table knows, and others
		labels := []string{nodeLabel(uint32(random.IntN(numTLD)))}
		for range random.IntN(4) {
			label := nodeLabel(uint32(random.IntN(all)))
			if random.IntN(3) == 0 {
				label = "other"
			}
			labels = append([]string{label}, labels...)
		}
		names = append(names, strings.Join(labels, "."))
	}
	for _, name := range names {
		suffix, icann := PublicSuffix(name)
		wantSuffix, wantICANN := original.PublicSuffix(name)
		if suffix != wantSuffix || icann != wantICANN {
			t.Errorf("%q: got %q, %v; want %q, %v", name, suffix, icann, wantSuffix, wantICANN)
		}
		domain, ok := EffectiveTLDPlusOne(name)
		wantDomain, wantErr := original.EffectiveTLDPlusOne(name)
		if domain != wantDomain || ok != (wantErr == nil) {
			t.Errorf("%q: got %q, %v; want %q, %v", name, domain, ok, wantDomain, wantErr)
		}
	}
}
