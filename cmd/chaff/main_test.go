package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"chaff/cmd/internal/delivery"
	"chaff/corpus/sample"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"chaff": main, "chaff-classify": delivery.Program,
		"chaff-peak": mainWithPeak(chaffWithPeak), "chaff-classify-peak": mainWithPeak(leanWithPeak)})
}

// isLongRun reports whether there is time for all of what takes a while: not without corpora.
func isLongRun() bool { return os.Getenv("TEST_CORPORA") != "" }

// TestScripts runs testdata/script: one behaviour of the command line each.
func TestScripts(t *testing.T) {
	t.Parallel()
	p := scriptParams()
	p.Dir = filepath.Join("testdata", "script")
	testscript.Run(t, p)
}

func scriptParams() testscript.Params {
	return testscript.Params{
		UpdateScripts: os.Getenv("TEST_UPDATE") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("GOGC", "400") // the commands are short
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "corpora" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return isLongRun(), nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"samplemail": writeSample,
			"easymail":   writeEasy,
			"corrupt":    corrupt,
			"cmpbytes":   compareBytes,
			"timeless":   writeTimeless,
			"tarball":    writeTarball,
			"shown":      compareShown,
		},
	}
}

// writeSample writes the sample mail into ham and spam of a folder: samplemail DIR. With a second argument, maildir, the
// folder becomes a Maildir++ with the spam in .Junk.
func writeSample(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: samplemail DIR [maildir]")
	}
	folders := map[string]string{"ham": "ham", "spam": "spam"}
	flags := ""
	if len(args) == 2 {
		folders = map[string]string{"ham": "cur", "spam": ".Junk/cur"}
		flags = ":2,S"
	}
	for item, err := range sample.Source() {
		ts.Check(err)
		raw, err := item.Read(nil)
		ts.Check(err)
		dir := filepath.Join(ts.MkAbs(args[0]), folders[item.Label])
		ts.Check(os.MkdirAll(filepath.Join(filepath.Dir(dir), "new"), 0o755))
		ts.Check(os.MkdirAll(dir, 0o755))
		ts.Check(os.WriteFile(filepath.Join(dir, filepath.Base(item.Origin)+flags), raw, 0o644))
	}
	if flags == "" {
		ts.Check(os.Remove(filepath.Join(ts.MkAbs(args[0]), "new")))
	}
}

// writeEasy writes mail that no model can confuse into ham and spam of a folder: easymail DIR.
func writeEasy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: easymail DIR")
	}
	words := map[string][]string{
		"ham":  {"meeting", "minutes", "agenda", "river", "bread", "garden"},
		"spam": {"casino", "lottery", "pills", "winner", "bonus", "loan"},
	}
	for class, of := range words {
		dir := filepath.Join(ts.MkAbs(args[0]), class)
		ts.Check(os.MkdirAll(dir, 0o755))
		for i := range 40 {
			text := fmt.Sprintf("Subject: %s %d\n\n%s and %s, %s\n", of[i%6], i, of[i%6], of[(i+1)%6], of[(i+2)%6])
			ts.Check(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.eml", i)), []byte(text), 0o644))
		}
	}
}

// corrupt damages a model: corrupt FILE.
func corrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: corrupt FILE")
	}
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	damage(data)
	ts.Check(os.WriteFile(path, data, 0o644))
}

// damage changes bits of a model here and there among its weights, where every message is looked up.
func damage(model []byte) {
	for i := len(model) / 8; i < len(model)/2; i += 64 {
		model[i] ^= 1
	}
}

// writeTarball packs a folder into an archive: tarball FILE.tar.gz DIR.
func writeTarball(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tarball FILE.tar.gz DIR")
	}
	var archive bytes.Buffer
	packed := gzip.NewWriter(&archive)
	files := tar.NewWriter(packed)
	ts.Check(files.AddFS(os.DirFS(ts.MkAbs(args[1]))))
	ts.Check(files.Close())
	ts.Check(packed.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), archive.Bytes(), 0o644))
}

// compareBytes compares what the last command printed with a file, byte by byte: cmpbytes FILE.
func compareBytes(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: cmpbytes FILE")
	}
	want, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	if (ts.ReadFile("stdout") == string(want)) == neg {
		ts.Fatalf("stdout and %s: equal is %v", args[0], neg)
	}
}

// writeTimeless writes what the last command printed to a file, without what differs from run to run: timeless FILE.
func writeTimeless(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: timeless FILE")
	}
	seconds := regexp.MustCompile(`"(training_cpu_seconds|seconds)": [0-9.e+-]+`)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), seconds.ReplaceAll([]byte(ts.ReadFile("stdout")), []byte(`"$1": 0`)), 0o644))
}
