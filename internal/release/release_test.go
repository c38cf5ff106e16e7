package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestAnArchiveDependsOnContentsOnly writes the same files with other times, owners' rights and orders.
func TestAnArchiveDependsOnContentsOnly(t *testing.T) {
	when := time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC)
	write := func(tree fs.FS) []byte {
		t.Helper()
		var b bytes.Buffer
		if err := writeArchive(&b, tree, "chaff-1.0.0", when); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	first := write(fstest.MapFS{
		"docs/serving.md": {Data: []byte("text"), Mode: 0o644, ModTime: when.Add(time.Hour)},
		"chaff":           {Data: []byte("program"), Mode: 0o755},
	})
	folder := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(folder, "chaff"), []byte("program"), 0o700), os.Mkdir(filepath.Join(folder, "docs"), 0o700),
		os.WriteFile(filepath.Join(folder, "docs", "serving.md"), []byte("text"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, write(os.DirFS(folder))) {
		t.Error("the same contents give other bytes")
	}

	zipped, err := gzip.NewReader(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		Name, Text string
		Mode       int64
		IsOfRoot   bool
		Time       time.Time
	}
	var got []entry
	for r := tar.NewReader(zipped); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, entry{h.Name, string(text), h.Mode, h.Uid == 0 && h.Gid == 0 && h.Uname == "root", h.ModTime.UTC()})
	}
	want := []entry{
		{"chaff-1.0.0/", "", 0o755, true, when},
		{"chaff-1.0.0/chaff", "program", 0o755, true, when},
		{"chaff-1.0.0/docs/", "", 0o755, true, when},
		{"chaff-1.0.0/docs/serving.md", "text", 0o644, true, when},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestALicenceGoesWithAllThatTheProgramsHold(t *testing.T) {
	t.Chdir("../..")
	for system, module := range map[string]string{"linux/amd64": "github.com/landlock-lsm/go-landlock", "windows/amd64": "github.com/inconshreveable/mousetrap"} {
		file := filepath.Join(t.TempDir(), "licences.txt")
		if err := writeLicences(system, file); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		for _, name := range []string{module, "Go", "internal/publicsuffix", "golang.org/x/text", "github.com/spf13/viper"} {
			if err != nil || !bytes.Contains(text, []byte("\n==== "+name)) {
				t.Errorf("%s: no licence of %s, %v", system, name, err)
			}
		}
	}
}

func TestTheExampleHasEachSettingAsAComment(t *testing.T) {
	got := example("# How many.\n# Now from: default. In the environment: CHAFF_WORKERS\nworkers = 0\n\n[serve]\n\n# Who.\n# Now from: default. In the environment: CHAFF_SERVE_USERS\nusers = \"\"\n")
	_, got, _ = strings.Cut(got, "\n") // what the file is
	if want := "# How many.\n#workers = 0\n\n[serve]\n\n# Who.\n#users = \"\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSumsAreThoseOfTheFiles(t *testing.T) {
	folder := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(folder, "b"), []byte("abc"), 0o644), os.WriteFile(filepath.Join(folder, "a"), nil, 0o644), writeSums(folder)); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\nba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b\n"
	if string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestARequestThatMakesNoReleaseIsRefused(t *testing.T) {
	for _, c := range []struct{ version, dist, want string }{
		{"", "dist", "is no version"},
		{"v1.0.0", "dist", "is no version"},
		{"1.0.0", t.TempDir(), "file exists"},
	} {
		if err := run(c.version, c.dist, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("version %q into %s: got %v, want %q", c.version, c.dist, err, c.want)
		}
	}
}
