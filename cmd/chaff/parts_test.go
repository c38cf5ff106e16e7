package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chaff/test/testmain"
)

// TestAnyTreeOfMergesIsTheTraining compares the models of parts, which share 5% of the mail and are merged in random trees, with what chaff train makes of all
// mail. TEST_TREES=all takes 10 minutes of CPU time: two corpora in 2 to 64 parts, three trees of each beside the flat merge.
func TestAnyTreeOfMergesIsTheTraining(t *testing.T) {
	if !testmain.IsLong() {
		t.Skip("needs real mail: set TEST_CORPORA to a folder with the corpora sa and enron (see docs/inside/results.md)")
	}
	folders, sizes, trees := []string{"sa"}, []int{2, 16}, 1
	if os.Getenv("TEST_TREES") == "all" {
		folders, sizes, trees = append(folders, "enron"), []int{2, 4, 16, 64}, 3
	}
	mail := labelledLines(t, folders)
	dir, compared := t.TempDir(), 0
	key := filepath.Join(dir, "key")
	must(t, os.WriteFile(key, []byte(strings.Repeat("0123456789abcdef", 2)), 0o600))
	at := func(format string, args ...any) string { return filepath.Join(dir, fmt.Sprintf(format, args...)) }
	for _, model := range []string{"votes", "multinomial", "softmax"} {
		chaff := func(stdin string, args ...string) {
			t.Helper()
			environ := []string{"HOME=" + dir, "CHAFF_MODEL=" + model, "CHAFF_KEY_FILE=" + key}
			if got := chaffWith(t, environ, strings.NewReader(stdin), args...); got.code != 0 {
				t.Fatalf("%q: %v", args, got)
			}
		}
		content := func(path string) []byte {
			data, err := os.ReadFile(path)
			must(t, err)
			return data
		}
		list := func(name string, lines []string) string {
			path := at("%s.index", name)
			must(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
			return path
		}
		chaff("", "train", "-q", "--trec", list("all", mail), "-m", at("all"))
		want := content(at("all"))
		for _, n := range sizes {
			random := rand.New(rand.NewPCG(uint64(n), 41))
			lines := make([][]string, n)
			for _, line := range mail {
				i := random.IntN(n)
				lines[i] = append(lines[i], line)
				if random.IntN(20) == 0 {
					lines[(i+1)%n] = append(lines[(i+1)%n], line)
				}
			}
			var parts []string
			for i, some := range lines {
				parts = append(parts, at("%d.part", i))
				chaff("", "collect", "-q", "--trec", list("some", some), "-m", parts[i], "--replace")
			}
			for tree := range 1 + trees {
				paths := slices.Clone(parts)
				for tree > 0 && len(paths) > 2 {
					random.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
					some := min(2+random.IntN(6), len(paths)-1)
					part := at("tree%d-%d", tree, len(paths))
					chaff("", append([]string{"merge", "-q", "--no-fit", "--replace", "-o", part}, paths[:some]...)...)
					paths = append(paths[some:], part)
				}
				slices.Reverse(paths)
				chaff(strings.Join(paths, "\n"), "merge", "-q", "-", "-o", at("merged"), "--memory", "32MB", "--replace")
				if !bytes.Equal(content(at("merged")), want) {
					t.Errorf("%s, %d parts, tree %d: other bytes than those of chaff train", model, n, tree)
				}
				compared++
			}
		}
	}
	t.Logf("%d merges of %d messages, with the bytes of chaff train", compared, len(mail))
}

// labelledLines returns the lines of an index of the mail in corpora.
func labelledLines(t *testing.T, folders []string) (lines []string) {
	for _, folder := range folders {
		root := filepath.Join(os.Getenv("TEST_CORPORA"), folder)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			switch class := filepath.Base(filepath.Dir(path)); {
			case strings.HasPrefix(class, "spam"):
				lines = append(lines, "spam "+path)
			case strings.Contains(class, "ham"):
				lines = append(lines, "ham "+path)
			}
			return nil
		})
		must(t, err)
	}
	if len(lines) < 1000 {
		t.Fatalf("%d messages in %q", len(lines), folders)
	}
	return lines
}
