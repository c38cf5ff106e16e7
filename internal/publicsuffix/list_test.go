package publicsuffix

import (
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	original "golang.org/x/net/publicsuffix"
)

var update = flag.Bool("update", false, "copy the rules of golang.org/x/net/publicsuffix")

func TestTheRulesAreThoseOfTheModule(t *testing.T) {
	want := rulesOfTheModule(t)
	if *update {
		if err := os.WriteFile("rules.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if rules != want {
		t.Error("the rules are not those of the module: `go test ./internal/publicsuffix -update` copies them")
	}
}

// rulesOfTheModule returns the rules in the tables of the module. Its table.go describes them.
func rulesOfTheModule(t *testing.T) string {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "publicsuffix", "data", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	text, nodes, children := read("text"), read("nodes"), read("children")
	var lines []string
	var add func(node, parentOf uint32, above string)
	add = func(from, to uint32, above string) {
		for ; from < to; from++ {
			node := uint64(nodes[5*from])<<32 | uint64(binary.BigEndian.Uint32(nodes[5*from+1:]))
			offset, length := node>>6&0xffff, node&0x3f
			child := binary.BigEndian.Uint32(children[4*(node>>23&0x3ff):])
			bits := [...]byte{isSuffix, isException, 0}[child>>28&3]
			if child>>30&1 != 0 {
				bits |= isWildcard
			}
			if node>>22&1 != 0 {
				bits |= isICANN
			}
			suffix := string(text[offset:offset+length]) + above
			lines = append(lines, suffix+" "+string(rune('@'+bits))+"\n")
			add(child&0x3fff, child>>14&0x3fff, "."+suffix)
		}
	}
	add(0, topLevel, "")
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[:len(a)-3], b[:len(b)-3]) })
	return strings.Join(lines, "")
}

// topLevel is numTLD of the module's table.go. Another number gives other suffixes than the module, which the next test finds.
const topLevel = 1450

func TestNamesHaveTheSuffixesThatTheModuleSays(t *testing.T) {
	names := []string{"", ".", "com", "a.com", ".a.com", "a..com", "a.com.", "127.0.0.1", "::1", "b.a.co.uk", "city.kawasaki.jp", "x.y.kawasaki.jp", "a.b.cromulent", "A.COM"}
	var labels []string
	for line := range strings.Lines(rules) {
		suffix := line[:len(line)-len(" A\n")]
		names = append(names, suffix, "other."+suffix, "a.other."+suffix, "a."+strings.ToUpper(suffix))
		labels = append(labels, strings.Split(suffix, ".")...)
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 50_000 { // of labels that the rules know
		name := labels[random.IntN(len(labels))]
		for range random.IntN(4) {
			name = labels[random.IntN(len(labels))] + "." + name
		}
		names = append(names, name)
	}
	if len(names) < 90_000 {
		t.Fatalf("there are %d names", len(names))
	}
	for _, name := range names {
		suffix, icann := PublicSuffix(name)
		wantSuffix, wantICANN := original.PublicSuffix(name)
		if suffix != wantSuffix || icann != wantICANN {
			t.Errorf("%q: got %q, %v; want %q, %v", name, suffix, icann, wantSuffix, wantICANN)
		}
	}
}
