// Package delivery classifies one message on its way into a mailbox. It reads the message from stdin and reports the verdict
// on stdout, in the exit code, or in the header of the message, which it always passes on.
//
// It is `chaff-classify`, and `chaff classify` without paths. Mail systems start a process for each message, so the package
// imports only what a verdict needs.
package delivery

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/term"

	"chaff/corpus"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/internal/verdictfield"
	"chaff/message"
)

// Streams are the standard streams of a program.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// IsTyped reports whether a user at a terminal types what is on In.
func (s Streams) IsTyped() bool {
	file, isFile := s.In.(*os.File)
	return isFile && term.IsTerminal(int(file.Fd()))
}

// Drain reads In, up to the size of the largest message, unless it is typed: a program that pipes a message may be ended by a signal if nobody reads it.
func (s Streams) Drain() {
	if !s.IsTyped() {
		_, _ = io.CopyN(io.Discard, s.In, message.MaxSize)
	}
}

// StartFast prepares a process for one message. Its frame of 40 KB gives the stack 64 KB at once: growing it five times would walk all functions
// on it each time, and touch all pages of a pool of stacks of each size.
//
//go:noinline
func StartFast() {
	if runtime.MemProfileRate < 0 { // never, which the compiler does not know: the linker sets 0 in a program without profiles
		var room [40 << 10]byte
		touch(room[:])
	}
}

//go:noinline
func touch(room []byte) { clear(room) }

// Main runs chaff-classify with the given arguments, environment and streams. It returns the exit code.
func Main(args, environ []string, s Streams) (code int) {
	r := parse(args)
	err := r.err
	switch {
	case errors.Is(err, flag.ErrHelp):
		PrintHelp(s.Out, usage, r.flags)
		return 0
	case err != nil:
		err = FlagError(r.flags, err)
	case r.version:
		screen.Printf(s.Out, "%s\n", Version("chaff-classify"))
		return 0
	case len(r.rest) > 0 && !slices.Equal(r.rest, []string{"-"}):
		err = fmt.Errorf("%s: chaff-classify reads one message from stdin; `chaff classify` takes paths", r.rest[0])
	case r.Pass && r.JSON:
		err = ErrPassJSON
	}
	if err != nil {
		hint.Print(s.Err, err)
		return r.refuse(s)
	}
	if r.Model == "" {
		r.Model = Path(environ, DataHome, "model")
	}
	code, err = r.Run(s)
	if err != nil {
		hint.Print(s.Err, err)
	}
	return code
}

// ErrPassJSON reports two answers that a user asks for at once.
var ErrPassJSON = errors.New("--json and --pass exclude each other: leave out one of them")

// Request is what a user asks of one message.
type Request struct {
	Model  string // path of the model file
	Pass   bool   // print the message with the verdict in its header
	Preset string // the filter whose exit codes to use, or empty
	JSON   bool
}

// released is the version, commit and date of programs of a release, which internal/release sets when it links them.
var released string

// Version describes a program in one line, with details after its version.
func Version(program string, details ...string) string {
	version := "of unknown version"
	if released != "" {
		version = released
	} else if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	parts := append([]string{program + " " + version}, details...)
	return strings.Join(append(parts, runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH), ", ")
}

// Run carries out a valid request for the message on s.In, and returns the exit code. With Pass, it writes the message
// unchanged if anything fails.
func (r Request) Run(s Streams) (code int, err error) {
	codes := r.codes()
	var verdict filter.Verdict
	if r.Pass {
		verdict, err = r.pass(s)
	} else {
		verdict, err = r.print(s)
	}
	switch {
	case err != nil:
		return codes.trouble, err
	case verdict == filter.Spam:
		return codes.spam, nil
	case verdict == filter.Unsure:
		return codes.unsure, nil
	}
	return codes.ham, nil
}

// pass writes the message with the verdict in its header.
func (r Request) pass(s Streams) (filter.Verdict, error) {
	raw, err := ReadMessage(s)
	if errors.Is(err, corpus.ErrTooLarge) {
		return passLarge(s, raw)
	}
	if err != nil {
		// The message goes out as it came in, and the mail system tries again later.
		return "", errors.Join(err, write(s.Out, bytes.NewReader(raw)))
	}
	hold(raw)
	out, verdict, err := r.judge(raw)
	release()
	return verdict, errors.Join(err, write(s.Out, bytes.NewReader(out)))
}

// passLarge writes a message above the size limit, of which raw is the start. It leaves the message to the mail system if the
// header exceeds the limit, since forged verdict fields may follow.
func passLarge(s Streams, raw []byte) (filter.Verdict, error) {
	out, whole := verdictfield.Set(raw, verdictfield.UnjudgedField(fmt.Sprintf("larger than %d bytes", message.MaxSize)))
	var err error
	if !whole {
		out, err = raw, fmt.Errorf("the header of the message is larger than %d bytes", message.MaxSize)
	}
	return filter.Unsure, errors.Join(err, write(s.Out, io.MultiReader(bytes.NewReader(out), s.In)))
}

// judge returns raw with the verdict in its header, or raw itself if anything fails. A bug in the program must not lose a
// message, so a panic is an error, too.
func (r Request) judge(raw []byte) (out []byte, verdict filter.Verdict, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = raw, fmt.Errorf("classify: internal error: %v", r)
		}
	}()
	f, err := r.open()
	if err != nil {
		return raw, "", err
	}
	if !hasRoom(len(raw)) {
		out, _ := verdictfield.Set(raw, verdictfield.UnjudgedField("too little memory for its size"))
		return out, filter.Unsure, nil
	}
	c, err := f.Classify(raw)
	if err != nil {
		return raw, "", ModelError(r.Model, err)
	}
	return f.Passed(raw, c), c.Verdict, nil
}

func (r Request) print(s Streams) (filter.Verdict, error) {
	f, err := r.open()
	if err != nil {
		s.Drain()
		return "", err
	}
	raw, err := ReadMail(s)
	if _, is := errors.AsType[*message.NoMail](err); is && !r.JSON {
		screen.Printf(s.Out, "no mail\n")
	}
	if err != nil {
		return "", err
	}
	c, err := f.Classify(raw)
	if err != nil {
		return "", ModelError(r.Model, err)
	}
	if err := f.LogErr(); err != nil { // but not with --pass: mail systems take any text on stderr for a failure
		warnOfLog(s.Err, r.Model, err)
	}
	if r.JSON {
		unlike, err := f.NewUnlike()
		if err != nil {
			return "", ModelError(r.Model, err)
		}
		c.Unlike = unlike.Add(c)
		return c.Verdict, PrintJSON(s.Out, "-", c)
	}
	_, err = screen.Printf(s.Out, "%s  score %s  %s\n", string(c.Verdict), screen.Figure(c.Score), Probability(f.Settings().Classes, c.Probability))
	return c.Verdict, err
}

// Probability names the probability of a message, and formats it.
func Probability(classes []string, p float64) string {
	return fmt.Sprintf("%s %.3f", filter.ProbabilityName(classes), p)
}

// PrintJSON prints a verdict as one line of JSON.
func PrintJSON(w io.Writer, path string, v filter.Classification) error {
	return screen.PrintJSON(w, struct {
		Path string `json:"path"`
		filter.Classification
	}{path, v}, "")
}

// ReadMessage reads all of s.In. It asks a user at a terminal to type the message. With an error it returns what it has read:
// with [corpus.ErrTooLarge], the start of a message that continues in s.In. An empty input is an error, because a failing
// program writes nothing.
func ReadMessage(s Streams) ([]byte, error) {
	if s.IsTyped() {
		fmt.Fprintln(s.Err, "chaff: reading a message from the terminal; end it with Ctrl-D")
	}
	raw, err := corpus.AppendMessage(make([]byte, 0, 16<<10), s.In)
	if len(raw) > message.LargeSize {
		LimitMemory(MessageMemory)
	}
	switch {
	case err != nil:
		return raw, fmt.Errorf("read the message from stdin: %w", err)
	case len(raw) > 0:
		return raw, nil
	}
	if file, isFile := s.In.(*os.File); isFile && wasClosed(file) {
		return nil, errors.New("there is no message: stdin is closed")
	}
	return nil, errors.New("there is no message: stdin is empty")
}

// ReadMail is [ReadMessage] with a [message.NoMail] for what is no message.
func ReadMail(s Streams) ([]byte, error) {
	raw, err := ReadMessage(s)
	if err == nil {
		err = message.CheckMail(raw)
		if err != nil {
			err = fmt.Errorf("what is on stdin %w", err)
		}
	}
	return raw, err
}

// MessageMemory is about what the largest message needs, in bytes, without the program.
const MessageMemory = 112 << 20

// LimitMemory makes Go collect garbage at any price above so many bytes of memory in use. A small message does not need the limit, and setting it
// takes longer than its classification. Undo lifts the limit. An explicit GOMEMLIMIT wins.
func LimitMemory(bytes int64) (undo func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(bytes)
	return func() { debug.SetMemoryLimit(before) }
}

// write writes a message and closes the file, since some file systems report a full disk only then.
func write(w io.Writer, message io.Reader) error {
	file, isFile := w.(*os.File)
	if isFile && wasClosed(file) {
		return errors.New("write the message: stdout is closed")
	}
	_, err := io.Copy(w, message)
	if isFile && err == nil {
		err = file.Close()
	}
	if err != nil {
		return fmt.Errorf("write the message: %w", err)
	}
	return nil
}

// OpenModel opens a model file with what was learned since it was trained. Its errors have a hint. It warns of a log that cannot be used.
func OpenModel(path string, stderr io.Writer) (*filter.Filter, error) {
	f, err := filter.OpenLearned(path)
	if err != nil {
		return nil, Advised(path, err)
	}
	if f.LogErr() != nil {
		warnOfLog(stderr, path, f.LogErr())
	}
	return f, nil
}

// warnOfLog prints why the model at path is used without what was learned since it was trained.
func warnOfLog(stderr io.Writer, path string, err error) {
	screen.Printf(stderr, "chaff: warning: %v: the model is used without what was learned since it was trained\n", filter.AboutLog(path, err))
}

// open opens the model of a request for one message. The exit codes of other filters need one of ham and spam.
func (r Request) open() (*filter.One, error) {
	f, err := filter.OpenOne(r.Model)
	if err != nil {
		return nil, Advised(r.Model, err)
	}
	if r.Preset != "" && f.Settings().Thresholds == nil {
		err = fmt.Errorf("--exit-code needs a model of ham and spam: %s has the classes %s; without it, the class is printed",
			r.Model, strings.Join(f.Settings().Classes, ", "))
	}
	return f, err
}

// Anew says how the model at path, which cannot be opened because of err, is made anew from its log. It is empty if that is no cure.
func Anew(path string, err error) string {
	command := "chaff retrain -m " + hint.Word(path) + " makes it anew from its log"
	info, noLog := os.Stat(filter.LogOf(path))
	switch {
	case noLog != nil || info.Size() == 0: // which a training that was killed can leave
	case errors.Is(err, filter.ErrPart):
		return "chaff merge PART... -o FILE"
	case errors.Is(err, filter.ErrNotModel): // which could be a file of another program
		return "remove it, then " + command
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, filter.ErrVersion), errors.Is(err, filter.ErrTruncated), errors.Is(err, filter.ErrDamaged):
		return command
	}
	return ""
}

// Use returns the flag that names the model at path in a command, if it is needed.
func Use(environ []string, path string) string {
	if path == Path(environ, DataHome, "model") {
		return ""
	}
	return " -m " + screen.Printable(hint.Word(path))
}

// Advised adds a hint to an error about the model file at path.
func Advised(path string, err error) error {
	_, noStore := os.Stat(path + ".store") // of an earlier version
	anew, isVersion, train := Anew(path, err), errors.Is(err, filter.ErrVersion), "chaff train"+Use(os.Environ(), path)
	switch {
	case path == "":
		return hint.With(errors.New("no model: the home directory is unknown"), "say where it is: -m FILE")
	case anew != "":
		return hint.With(err, anew)
	case noStore == nil && isVersion:
		return hint.With(err, "chaff retrain -m "+hint.Word(path)+" turns its store into a log, and makes the model anew")
	case errors.Is(err, fs.ErrNotExist):
		return hint.With(err, "train one first: "+train+" ~/Maildir, or say where it is: -m FILE")
	case errors.Is(err, filter.ErrNotModel):
		return hint.With(err, "a model is a file that chaff train has saved")
	case isVersion || errors.Is(err, filter.ErrDamaged) || errors.Is(err, filter.ErrTruncated):
		return hint.With(err, "train it again with "+train)
	}
	return err
}

// ModelError names the model file in an error about an open model, and adds a hint.
func ModelError(path string, err error) error {
	err = fmt.Errorf("open model %s: %w", path, err)
	if errors.Is(err, filter.ErrNoTexts) {
		return hint.With(err, "train it again with --set features.texts=true")
	}
	return Advised(path, err)
}

// codes are the exit codes for the verdicts and for trouble.
type codes struct{ ham, unsure, spam, trouble int }

// codes returns the exit codes of a request: of the filter that it names, else the code reports trouble only. For a name of no filter, which
// is an error, trouble is that of the default. With Pass, it is none of a verdict.
func (r Request) codes() (c codes) {
	switch r.Preset {
	case "":
		c = codes{trouble: 1}
	case LikeSpamAssassin:
		c = codes{spam: 1, ham: 0, unsure: 0, trouble: 2}
	default:
		c = codes{spam: 0, ham: 1, unsure: 2, trouble: 3}
	}
	if r.Pass {
		c.trouble = 75 // EX_TEMPFAIL of sysexits.h: the mail system keeps the message and tries again
	}
	return c
}
