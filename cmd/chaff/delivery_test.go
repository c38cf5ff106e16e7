package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"chaff/cmd/internal/delivery"
	"chaff/message"
	"chaff/test/testmain"
)

// trained returns a folder with a model of the sample mail where chaff looks for one if HOME is that folder, and with
// a model that is damaged.
func trained(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	model := filepath.Join(home, ".local", "share", "chaff", "model")
	data, err := sampleModel()
	must(t, err)
	must(t, os.MkdirAll(filepath.Dir(model), 0o700))
	must(t, os.WriteFile(model, data, 0o600))
	data = bytes.Clone(data)
	damage(data)
	must(t, os.WriteFile(filepath.Join(home, "damaged"), data, 0o600))
	return home
}

// outcome is all that a program says.
type outcome struct {
	code        int
	out, errors string
}

func (a outcome) String() string {
	return fmt.Sprintf("exit code %d, %.300q, errors %.300q", a.code, a.out, a.errors)
}

// chaff runs a command in this process with a home folder and nothing on stdin.
func chaff(t testing.TB, home string, args ...string) outcome {
	t.Helper()
	return chaffWith(t, []string{"HOME=" + home}, strings.NewReader(""), args...)
}

func chaffWith(t testing.TB, environ []string, in io.Reader, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, environ, in, &out, &errs)
	return outcome{code, out.String(), errs.String()}
}

// both asks both programs the same. What differs is their names in hints.
func both(t *testing.T, args, environ []string, in func() io.Reader) (chaff, lean outcome) {
	t.Helper()
	chaff = chaffWith(t, environ, in(), append([]string{"classify"}, args...)...)
	chaff.errors = strings.ReplaceAll(chaff.errors, "chaff classify --help", "chaff-classify --help")
	var out, errs bytes.Buffer
	code := delivery.Main(args, environ, delivery.Streams{In: in(), Out: &out, Err: &errs})
	return chaff, outcome{code, out.String(), errs.String()}
}

func TestBothProgramsSayTheSameOfAMessage(t *testing.T) {
	home := trained(t)
	environ := []string{"HOME=" + home}
	model := filepath.Join(home, ".local", "share", "chaff", "model")
	const letter = "From: a@b.example\nSubject: hello\nX-Spam-Flag: YES\n\nHow are you? Cheap pills, casino.\n"
	crlf := strings.ReplaceAll(letter, "\n", "\r\n")
	for name, tt := range map[string]struct {
		args    []string
		in      string
		environ []string
		code    int
		out     string // the beginning of stdout
		wrong   bool   // the packages that parse flags word their errors differently
	}{
		"a verdict":                       {nil, letter, environ, 0, "", false},
		"nothing at all":                  {nil, "", environ, 1, "", false},
		"nothing at all, passed":          {[]string{"--pass"}, "", environ, 75, "", false},
		"nothing at all, and codes":       {[]string{"--exit-code"}, "", environ, 3, "", false},
		"as JSON":                         {[]string{"--json"}, letter, environ, 0, `{"path":"-","class":"`, false},
		"passed":                          {[]string{"--pass"}, letter, environ, 0, "X-Spam-Flag: ", false},
		"passed, with CR LF":              {[]string{"--pass"}, crlf, environ, 0, "X-Spam-Flag: ", false},
		"passed, from an mbox":            {[]string{"--pass"}, "From a@b Mon Jan  1 10:00:00 2024\n" + letter, environ, 0, "From a@b Mon Jan  1 10:00:00 2024\nX-Spam-Flag: ", false},
		"passed, without a line end":      {[]string{"--pass"}, strings.TrimSpace(letter), environ, 0, "X-Spam-Flag: ", false},
		"a huge message":                  {[]string{"--pass"}, letter + strings.Repeat("word and another one\n", 1<<16), environ, 0, "X-Spam-Flag: ", false},
		"by bogofilter's codes":           {[]string{"--exit-code", "-m", model}, letter, nil, -1, "", false},
		"by SpamAssassin's codes":         {[]string{"--exit-code=spamassassin", "-m=" + model}, letter, nil, -1, "", false},
		"passed, by SpamAssassin's codes": {[]string{"--exit-code=spamassassin", "--pass"}, letter, environ, -1, "X-Spam-Flag: ", false},
		"no model":                        {[]string{"-m", "nowhere"}, letter, nil, 1, "", false},
		"no model, and codes":             {[]string{"-m", "nowhere", "--exit-code"}, letter, nil, 3, "", false},
		"no model, passed":                {[]string{"-m", "nowhere", "--pass"}, letter, nil, 75, letter, false},
		"no model, passed with CR LF":     {[]string{"-m", "nowhere", "--pass"}, crlf, nil, 75, crlf, false},
		"a damaged model":                 {[]string{"-m", filepath.Join(home, "damaged")}, letter, nil, 1, "", false},
		"a damaged model, passed":         {[]string{"-m", filepath.Join(home, "damaged"), "--pass"}, letter, nil, 75, letter, false},
		"a file that is no model":         {[]string{"-m", "delivery_test.go", "--pass"}, letter, nil, 75, letter, false},
		"another place":                   {nil, letter, []string{"HOME=/nowhere", "XDG_DATA_HOME=" + filepath.Join(home, ".local", "share")}, 0, "", false},
		"a mistyped flag, passed":         {[]string{"--pass", "--modle=x"}, letter, environ, 75, letter, true},
		"a value that is no word, passed": {[]string{"--json=x", "--pass"}, letter, environ, 75, letter, true},
		"codes of nobody":                 {[]string{"--exit-code=procmail"}, letter, environ, 3, "", false},
		"two answers":                     {[]string{"--json", "--pass"}, letter, environ, 75, letter, false},
	} {
		t.Run(name, func(t *testing.T) {
			chaff, lean := both(t, tt.args, tt.environ, func() io.Reader { return strings.NewReader(tt.in) })
			if chaff.code != lean.code || chaff.out != lean.out || !tt.wrong && chaff.errors != lean.errors {
				t.Fatalf("chaff classify: %v\nchaff-classify: %v", chaff, lean)
			}
			if tt.code >= 0 && lean.code != tt.code || !strings.HasPrefix(lean.out, tt.out) {
				t.Errorf("got %v, want exit code %d and %q", lean, tt.code, tt.out)
			}
		})
	}
}

// TestBothProgramsReadFlagsTheSameWay tries lines of documented flags, right and wrong. Errors differ in their words only.
func TestBothProgramsReadFlagsTheSameWay(t *testing.T) {
	home := trained(t)
	words := []string{
		"-m " + home, "-m=" + home, "--model-file " + home, "--model-file=" + home, "-m", "--model-file", "-m " + home + "/damaged",
		"--pass", "--pass=true", "--pass=false", "--pass=maybe", "--pass=1", "--json", "--json=false", "--json=2",
		"--exit-code", "--exit-code=bogofilter", "--exit-code=spamassassin", "--exit-code=other", "--modle", "--modle=x", "---", "-x",
	}
	random := rand.New(rand.NewPCG(1, 1))
	lines, understood := 100, 0
	if testmain.IsLong() {
		lines = 1000
	}
	for range lines {
		var args []string
		for range random.IntN(5) {
			args = append(args, strings.Fields(words[random.IntN(len(words))])...)
		}
		chaff, lean := both(t, args, []string{"HOME=" + home}, func() io.Reader { return strings.NewReader("Subject: hello\n\nhello\n") })
		if strings.Contains(lean.errors, "`chaff classify` takes paths") {
			continue
		}
		understood++
		if chaff.code != lean.code || chaff.out != lean.out || (chaff.errors == "") != (lean.errors == "") {
			t.Fatalf("%q\nchaff classify: %v\nchaff-classify: %v", args, chaff, lean)
		}
	}
	if understood < lines/3 {
		t.Errorf("only %d of the command lines were without a path", understood)
	}
}

func TestAPathIsRefused(t *testing.T) {
	const letter = "Subject: hello\n\nhello\n"
	for name, tt := range map[string]struct {
		args []string
		code int
		out  string
	}{
		"alone":               {[]string{"a.eml"}, 1, ""},
		"passed":              {[]string{"--pass", "a.eml"}, 75, letter},
		"with codes":          {[]string{"--exit-code", "a.eml"}, 3, ""},
		"after the last flag": {[]string{"--", "a.eml"}, 1, ""},
		"between flags":       {[]string{"-m", "model", "a.eml", "--json"}, 1, ""},
		"after a short flag":  {[]string{"-m=model", "a.eml"}, 1, ""},
	} {
		var out, errs bytes.Buffer
		code := delivery.Main(tt.args, nil, delivery.Streams{In: strings.NewReader(letter), Out: &out, Err: &errs})
		got := outcome{code, out.String(), errs.String()}
		if want := (outcome{tt.code, tt.out, "chaff: a.eml: chaff-classify reads one message from stdin; `chaff classify` takes paths\n"}); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestBothProgramsSayTheSameOfATornMessage(t *testing.T) {
	environ := []string{"HOME=" + trained(t)}
	torn := func() io.Reader {
		return io.MultiReader(strings.NewReader("Subject: hello\n"), iotest.ErrReader(errors.New("the pipe broke")))
	}
	for _, args := range [][]string{nil, {"--pass"}, {"--pass", "--exit-code"}, {"--json"}} {
		chaff, lean := both(t, args, environ, torn)
		if chaff != lean {
			t.Errorf("%q\nchaff classify: %v\nchaff-classify: %v", args, chaff, lean)
		}
		if wantOut := slices.Contains(args, "--pass"); (lean.out == "Subject: hello\n") != wantOut || lean.code == 0 {
			t.Errorf("%q: got %v", args, lean)
		}
	}
}

// What is larger than any mail is not judged, from wherever it comes, but it comes out again.
func TestAMessageThatIsTooLargeIsNotJudged(t *testing.T) {
	home := trained(t)
	large := bytes.Repeat([]byte("x"), message.MaxSize+100)
	copy(large, "Subject: large\n\n")
	large[len(large)-1] = '!'
	file := filepath.Join(home, "large")
	must(t, os.WriteFile(file, large, 0o600))
	for _, args := range [][]string{
		{"classify"}, {"tokens"}, {"classify", file}, {"explain", file}, {"classify", "--format", "message", file},
	} {
		got := chaffWith(t, []string{"HOME=" + home}, bytes.NewReader(large), args...)
		if got.code == 0 || got.out != "" || !strings.Contains(got.errors, "too large for a message") {
			t.Errorf("%q: got %v", args, got)
		}
	}
	var out bytes.Buffer
	out.Grow(len(large) + 4096)
	delivery.Main([]string{"--pass"}, []string{"HOME=" + home}, delivery.Streams{In: bytes.NewReader(large), Out: &out, Err: io.Discard})
	if !bytes.HasSuffix(out.Bytes(), large[bytes.IndexByte(large, '\n'):]) {
		t.Errorf("of %d bytes %d came out", len(large), out.Len())
	}
}

// writeEnds has the last byte of each write.
type writeEnds []byte

func (w *writeEnds) Write(text []byte) (int, error) {
	*w = append(*w, text[len(text)-1])
	return len(text), nil
}

// TestEachWriteOfVerdictsEndsALine is about a process that an interrupt ends between two writes.
func TestEachWriteOfVerdictsEndsALine(t *testing.T) {
	h := newHome(t, "")
	h.writeModel()
	for _, form := range [][]string{nil, {"--json"}} {
		var ends writeEnds
		var stderr bytes.Buffer
		args := append([]string{"classify", "-m", h.path("model"), filepath.Join(sampleDir(), "ham"), filepath.Join(sampleDir(), "spam")}, form...)
		if code := run(t.Context(), args, []string{"HOME=" + h.dir}, strings.NewReader(""), &ends, &stderr); code != 0 {
			t.Fatal(stderr.String())
		}
		if len(ends) < 4 || strings.Trim(string(ends), "\n") != "" {
			t.Errorf("%q: writes end with %q", form, ends)
		}
	}
}

func TestAMisspeltClassifyPassesTheMessage(t *testing.T) {
	const message = "Subject: a\n\nbody\n"
	for _, line := range []string{"clasify --pass", "--pass", "--config chaff.toml classify --pass"} {
		if got := chaffWith(t, nil, strings.NewReader(message), strings.Fields(line)...); got.code != 75 || got.out != message {
			t.Errorf("%s: %v, want 75 and the message", line, got)
		}
	}
}
