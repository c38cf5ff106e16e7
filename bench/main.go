// Command bench compares chaff with other filters and learners on the same messages in one run, and writes the results to
// docs/inside/benchmarks.md.
//
//	go run ./bench CORPUS...                 # in the root of the project
//	go run ./bench -rounds 3 -only chaff,bogofilter CORPUS
//
// A CORPUS is a folder, or an archive that tar unpacks, whose ham and spam are in folders with these words in their names.
// As root on Debian, bench installs missing programs; otherwise their rows name the missing packages. With -only it does not
// write the page, unless -o names a file.
//
// The hash of a message puts it into the training part or the test part; copies count once. All programs train on the same
// files and classify the same files. The benchmark measures the user and system CPU time of all processes that a command
// starts, on one processor. The programs take turns, and the page shows medians. The temporary folder needs close to two
// gigabytes.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"chaff/internal/screen"
)

func main() {
	if report := os.Getenv(keeperReport); report != "" {
		os.Exit(keep(report, os.Args[1:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the command line.
type options struct {
	rounds, singles int
	limit, slow     time.Duration
	only, names     []string
	output          string
	programs        string // the folder of both programs of chaff, "" to build them
	install         bool
	corpora         []string
	flags           []string // as given
}

// run is the whole program, run in the root of the project. It returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	if err := write(ctx, o, stdout, stderr); err != nil {
		screen.Printf(stderr, "bench: %v\n", err)
		return 1
	}
	return 0
}

// write measures and writes the page.
func write(ctx context.Context, o options, stdout, stderr io.Writer) error {
	page, err := measureAll(ctx, o, stderr)
	if err != nil {
		return err
	}
	text := page.text()
	if _, err := (screen.Lines{To: stdout}).Write([]byte(text)); err != nil || o.output == "" {
		return err
	}
	return os.WriteFile(o.output, []byte(text), 0o644)
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(screen.Lines{To: stderr})
	flags.IntVar(&o.rounds, "rounds", 5, "train and classify in bulk `N` times")
	flags.IntVar(&o.singles, "singles", 41, "classify one message in a fresh process `N` times")
	flags.DurationVar(&o.limit, "limit", 15*time.Minute, "stop a command after this `time`")
	flags.DurationVar(&o.slow, "slow", time.Minute, "run a step only once if it takes more CPU `time`")
	flags.StringVar(&o.programs, "programs", "", "measure chaff and chaff-classify of this `folder`; default: build them")
	flags.BoolVar(&o.install, "install", true, "install missing programs, as root on Debian")
	only := flags.String("only", "", "run only the programs whose ids begin with one of these comma-separated `names`")
	names := flags.String("corpus", "", "comma-separated `names` of the corpora; default: the names of their files")
	output := flags.String("o", "", "write the page to `FILE`; default: docs/inside/benchmarks.md, or none with -only")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: go run ./bench [FLAGS] CORPUS...")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.corpora, o.flags = flags.Args(), args[:len(args)-flags.NArg()]
	o.only, o.names, o.output = list(*only), list(*names), *output
	complain := func(format string, args ...any) (options, error) {
		err := fmt.Errorf(format, args...)
		screen.Printf(stderr, "bench: %v\n", err)
		return o, err
	}
	switch {
	case len(o.corpora) == 0:
		flags.Usage()
		return o, errors.New("no corpus")
	case o.rounds < 1 || o.singles < 1:
		return complain("-rounds and -singles must be at least 1")
	case len(o.names) > 0 && len(o.names) != len(o.corpora):
		return complain("-corpus has %d names for %d corpora", len(o.names), len(o.corpora))
	}
	if o.output == "" && len(o.only) == 0 {
		o.output = filepath.Join("docs", "inside", "benchmarks.md")
	}
	return o, nil
}

// list splits a text at commas. An empty text gives an empty list.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// measureAll measures all programs on all corpora.
func measureAll(ctx context.Context, o options, progress io.Writer) (page, error) {
	scratch, err := os.MkdirTemp("", "chaff-bench")
	if err != nil {
		return page{}, err
	}
	defer os.RemoveAll(scratch)
	programs, err := filepath.Abs(cmp.Or(o.programs, scratch)) // commands run in other folders
	if err != nil {
		return page{}, err
	}
	r := runner{
		chaff: filepath.Join(programs, "chaff"), rounds: o.rounds, singles: o.singles,
		slow: o.slow, heavy: 200 * time.Millisecond, progress: progress,
	}
	m := meter{home: filepath.Join(scratch, "home"), cores: allowedCores(), limit: o.limit}
	if err := os.Mkdir(m.home, 0o755); err != nil {
		return page{}, err
	}
	scripts, err := writeScripts(filepath.Join(scratch, "scripts"))
	if err != nil {
		return page{}, err
	}
	entrants, err := chosen(everyone(r.chaff, scripts), o.only)
	if err != nil {
		return page{}, err
	}
	if o.programs == "" {
		if err := r.buildChaff(ctx); err != nil {
			return page{}, err
		}
	}
	version, err := exec.CommandContext(ctx, r.chaff, "version").Output()
	if err != nil {
		return page{}, fmt.Errorf("chaff version: %w", err)
	}
	if o.install {
		r.install(ctx, entrants)
	}
	p := newPage(ctx, o, r, entrants, lastLine(version))
	for i, path := range o.corpora {
		c, err := r.measureCorpus(ctx, path, o.nameOf(i), scratch, m, entrants)
		if err != nil {
			return page{}, err
		}
		p.corpora = append(p.corpora, c)
	}
	return p, nil
}

// nameOf returns the name of the corpus i: the one given, or that of its file without suffixes.
func (o options) nameOf(i int) string {
	if len(o.names) > 0 {
		return o.names[i]
	}
	name, _, _ := strings.Cut(filepath.Base(o.corpora[i]), ".")
	return name
}

// buildChaff builds both programs, and copies them as an installation does: Linux keeps a file as the linker writes it in small pieces, and takes a
// tenth more CPU to start it.
func (r runner) buildChaff(ctx context.Context) error {
	r.logf("build chaff")
	programs := filepath.Dir(r.chaff)
	linked, err := os.MkdirTemp(programs, "linked")
	if err != nil {
		return err
	}
	defer os.RemoveAll(linked)
	for _, earlier := range [...]string{"chaff", "chaff-classify"} {
		os.Remove(filepath.Join(programs, earlier))
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", linked+string(filepath.Separator), "./cmd/chaff", "./cmd/chaff-classify")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build chaff: %w: %s", err, lastLine(out))
	}
	return os.CopyFS(programs, os.DirFS(linked))
}

// measured has the results of one corpus.
type measured struct {
	mail    *mail
	rounds  int
	results []result
	workers workers
}

// measureCorpus unpacks a corpus, splits its mail and measures the entrants on it.
func (r runner) measureCorpus(ctx context.Context, path, name, scratch string, m meter, entrants []entrant) (measured, error) {
	dir, err := os.MkdirTemp(scratch, "mail")
	if err != nil {
		return measured{}, err
	}
	defer os.RemoveAll(dir)
	r.logf("%s: read", name)
	root, err := unpack(ctx, path, scratch)
	if err != nil {
		return measured{}, err
	}
	mail, err := split(name, root, dir)
	if err != nil {
		return measured{}, err
	}
	alone := m
	alone.cores = m.cores[max(0, len(m.cores)-1):]
	results, err := r.run(ctx, mail, alone, entrants)
	if err != nil {
		return measured{}, err
	}
	w, err := r.compareWorkers(ctx, mail, m, entrants)
	if err != nil {
		r.logf("%s: two workers: %v", name, err)
	}
	return measured{mail, r.rounds, results, w}, ctx.Err()
}
