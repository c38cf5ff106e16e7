package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"chaff/cmd/internal/delivery"
	"chaff/store"
	"chaff/test/testmain"
)

// classifyOne is the program chaff-classify.
func classifyOne() {
	delivery.StartFast()
	delivery.Guard(os.Args[1:])
	os.Exit(delivery.Main(os.Args[1:], os.Environ(), delivery.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// programs are what this binary runs as, by the name of the file.
var programs = map[string]func(){"chaff": main, "chaff-classify": classifyOne, "chaff-server": runRequests,
	"chaff-peak": mainWithPeak(chaffWithPeak), "chaff-classify-peak": mainWithPeak(leanWithPeak)}

func TestMain(m *testing.M) {
	if program := programs[filepath.Base(os.Args[0])]; program != nil {
		program()
		os.Exit(0)
	}
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// runTests runs the tests with the programs in the path.
func runTests(m *testing.M) (code int, err error) {
	folder, err := os.MkdirTemp("", "chaff")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	binary, err := os.Executable()
	for name := range programs {
		err = errors.Join(err, os.Symlink(binary, filepath.Join(folder, name)))
	}
	err = errors.Join(err, os.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH")),
		os.Setenv("GOMEMLIMIT", "off")) // or a command in this process would limit all that comes after it
	if err != nil {
		return 0, err
	}
	code = testmain.Run(m)
	return code, scriptServers.stop()
}

// scriptServers run the commands of scripts.
var scriptServers servers

// TestScripts runs testdata/script: one behaviour of the command line each.
func TestScripts(t *testing.T) {
	t.Parallel()
	p := scriptParams(t)
	p.Dir = filepath.Join("testdata", "script")
	testscript.Run(t, p)
}

func scriptParams(t *testing.T) testscript.Params {
	mail := newSharedMail(t)
	cases, err := filepath.Abs("../../test/cases")
	must(t, err)
	return testscript.Params{
		UpdateScripts: os.Getenv("TEST_UPDATE") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("CASES", cases)
			e.Setenv("GOGC", strconv.Itoa(testmain.GCPercent))
			e.Setenv("GOMEMLIMIT", "off")
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "corpora" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return testmain.IsLong(), nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"chaff":      scriptServers.run,
			"samplemail": mail.linkSample,
			"easymail":   mail.linkEasy,
			"easymodel":  mail.writeEasyModel,
			"corrupt":    corrupt,
			"cmpbytes":   compareBytes,
			"timeless":   writeTimeless,
			"tarball":    writeTarball,
			"shown":      compareShown,
			"capture":    capture,
		},
	}
}

// capture sets a variable to what the group of a pattern matches in the last output: capture NAME PATTERN.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	found := regexp.MustCompile("(?m)" + args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("no match for %s", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// sharedMail is mail that scripts read and do not change, and a model of it. It is written once, and linked into the folder of each
// script.
type sharedMail struct {
	maildir, easy, more func() string
	easyModel           func() map[string][]byte // by ending
}

func newSharedMail(t *testing.T) sharedMail {
	dir := t.TempDir()
	once := func(name string, write func(dir string)) func() string {
		return sync.OnceValue(func() string {
			write(filepath.Join(dir, name))
			return filepath.Join(dir, name)
		})
	}
	easy := once("easy", func(dir string) { writeEasy(t, dir, 0) })
	return sharedMail{
		maildir: once("maildir", func(dir string) { must(t, writeMaildir(dir, sampleDir())) }),
		easy:    easy,
		more:    once("more", func(dir string) { writeEasy(t, dir, 40) }),
		easyModel: sync.OnceValue(func() map[string][]byte {
			files, err := filesOf(easy())
			must(t, err)
			return files
		}),
	}
}

// sampleDir returns the folder with the sample mail in ham and spam.
func sampleDir() string {
	dir, err := filepath.Abs(filepath.Join("..", "..", "corpus", "sample", "mail"))
	if err != nil {
		panic(err)
	}
	return dir
}

// linkSample puts the sample mail into the folders ham and spam of a folder: samplemail DIR. With a second argument, maildir,
// the folder is a Maildir++ with the spam in .Junk.
func (s sharedMail) linkSample(ts *testscript.TestScript, neg bool, args []string) {
	switch {
	case !neg && len(args) == 1:
		ts.Check(os.Symlink(sampleDir(), ts.MkAbs(args[0])))
	case !neg && len(args) == 2 && args[1] == "maildir":
		ts.Check(os.Symlink(s.maildir(), ts.MkAbs(args[0])))
	default:
		ts.Fatalf("usage: samplemail DIR [maildir]")
	}
}

// linkEasy puts mail that every model classifies correctly into the folders ham and spam of a folder: easymail DIR. With a second
// argument, copy, the script may add, move and remove files; with maildir, too, and the folder is a Maildir++ with the spam in .Junk; with
// more, it is mail of the same words that is not the same mail.
func (s sharedMail) linkEasy(ts *testscript.TestScript, neg bool, args []string) {
	switch {
	case !neg && len(args) == 1:
		ts.Check(os.Symlink(s.easy(), ts.MkAbs(args[0])))
	case !neg && len(args) == 2 && args[1] == "copy":
		for _, class := range []string{"ham", "spam"} {
			ts.Check(linkFiles(filepath.Join(ts.MkAbs(args[0]), class), filepath.Join(s.easy(), class), "%s"))
		}
	case !neg && len(args) == 2 && args[1] == "maildir":
		ts.Check(writeMaildir(ts.MkAbs(args[0]), s.easy()))
	case !neg && len(args) == 2 && args[1] == "more":
		ts.Check(os.Symlink(s.more(), ts.MkAbs(args[0])))
	default:
		ts.Fatalf("usage: easymail DIR [copy | maildir | more]")
	}
}

// writeEasyModel writes the model that chaff train makes of the easy mail: easymodel FILE. With a second argument, store, it writes
// FILE.log as well.
func (s sharedMail) writeEasyModel(ts *testscript.TestScript, neg bool, args []string) {
	withStore := len(args) == 2 && args[1] == "store"
	if neg || len(args) != 1 && !withStore {
		ts.Fatalf("usage: easymodel FILE [store]")
	}
	for ending, data := range s.easyModel() {
		if ending == "" || withStore {
			ts.Check(os.WriteFile(ts.MkAbs(args[0])+ending, data, 0o600))
		}
	}
}

// writeMaildir makes dst a Maildir++ of the folders ham and spam of src, with the spam in .Junk.
func writeMaildir(dst, src string) error {
	var errs []error
	for class, to := range map[string]struct{ folder, names string }{"ham": {".", "%s:2,S"}, "spam": {".Junk", "s%s:2,S"}} {
		errs = append(errs, linkFiles(filepath.Join(dst, to.folder, "cur"), filepath.Join(src, class), to.names),
			os.Mkdir(filepath.Join(dst, to.folder, "new"), 0o755))
	}
	return errors.Join(errs...)
}

// linkFiles makes dst a folder with the files of src, whose names are put into a format. Files of another file system are copied.
func linkFiles(dst, src, names string) error {
	files, err := os.ReadDir(src)
	err = errors.Join(err, os.MkdirAll(dst, 0o755))
	for _, file := range files {
		from, to := filepath.Join(src, file.Name()), filepath.Join(dst, fmt.Sprintf(names, file.Name()))
		if os.Link(from, to) == nil {
			continue
		}
		data, readErr := os.ReadFile(from)
		err = errors.Join(err, readErr, os.WriteFile(to, data, 0o644))
	}
	return err
}

func writeEasy(t *testing.T, dir string, first int) {
	for class, of := range map[string][]string{
		"ham":  {"meeting", "minutes", "agenda", "river", "bread", "garden"},
		"spam": {"casino", "lottery", "pills", "winner", "bonus", "loan"},
	} {
		for i := range 40 {
			text := fmt.Sprintf("Subject: %s %d\n\n%s and %s, %s\n", of[i%6], first+i, of[i%6], of[(i+1)%6], of[(i+2)%6])
			writeMessage(t, filepath.Join(dir, class), fmt.Sprintf("%02d.eml", i), []byte(text))
		}
	}
}

// sampleStore returns the model that chaff train makes of the sample mail, and its log, by the ending of the file.
var sampleStore = sync.OnceValues(func() (map[string][]byte, error) { return filesOf(sampleDir()) })

// sampleModel returns the model that chaff train makes of the sample mail.
func sampleModel() ([]byte, error) {
	files, err := sampleStore()
	return files[""], err
}

// writeStore writes the model of the sample mail, and its log.
func writeStore(t *testing.T, path string) {
	t.Helper()
	files, err := sampleStore()
	must(t, err)
	for ending, data := range files {
		must(t, os.WriteFile(path+ending, data, 0o600))
	}
}

// modelOf returns the model that chaff train makes of the folders ham and spam of a folder.
func modelOf(t *testing.T, mail string, args ...string) []byte {
	t.Helper()
	model, err := trainedOn(mail, args...)
	must(t, err)
	return model
}

func trainedOn(mail string, args ...string) ([]byte, error) {
	files, err := filesOf(mail, args...)
	return files[""], err
}

// filesOf returns the model that chaff train makes of the folders ham and spam of a folder, and its log, by the ending of the file.
func filesOf(mail string, args ...string) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "chaff")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	model := filepath.Join(dir, "model")
	args = append([]string{"train", "--ham", filepath.Join(mail, "ham"), "--spam", filepath.Join(mail, "spam"), "-m", model}, args...)
	var errs bytes.Buffer
	if code := run(context.Background(), args, []string{"HOME=" + dir}, strings.NewReader(""), io.Discard, &errs); code != 0 {
		return nil, errors.New(errs.String())
	}
	files := make(map[string][]byte)
	for _, ending := range []string{"", store.Suffix} {
		if files[ending], err = os.ReadFile(model + ending); err != nil {
			return nil, err
		}
	}
	return files, nil
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
