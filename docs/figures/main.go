// Command figures measures the models on the public corpora, and writes the results into the pages.
//
//	go run ./docs/figures CORPORA            # in the root of the project
//	go run ./docs/figures -check CORPORA     # changes nothing, and exits with 1 if a page is stale
//
// CORPORA is a folder with the corpora sa and enron, as docs/inside/results.md describes. In README.md and the pages of docs and
// docs/inside, the command replaces the text between two lines
//
//	<!-- figures: NAME -->
//	<!-- end of figures -->
//
// with figures of the default settings; -only NAME restricts it to one block. Times are not among the figures, since they differ
// between machines. The blocks bogofilter and verdicts need that program.
//
//	go run ./docs/figures -only verdicts CORPORA INDEX...
//
// prints the block for the mail of indexes of the TREC spam track, and changes no page.
//
// The block robust consists of protocols. The command
//
//	go run ./docs/figures -protocol flips,twins -part development -model softmax -set models.softmax.l2=0.01 CORPORA
//
// prints the rows of some protocols, for choosing models and settings, and changes no page.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"chaff/internal/screen"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs the program in the root of the project and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("figures", flag.ContinueOnError)
	flags.SetOutput(screen.Lines{To: stderr})
	check := flags.Bool("check", false, "change nothing, and exit 1 naming the blocks that differ")
	only := flags.String("only", "", "leave all blocks but that of this `name` alone")
	try := newTrial(flags)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: go run ./docs/figures [-check] [-only NAME] CORPORA")
		fmt.Fprintln(stderr, "       go run ./docs/figures -only verdicts CORPORA INDEX...")
		fmt.Fprintln(stderr, "       go run ./docs/figures -protocol NAMES [-part PART] [-model NAMES] [-set KEY=VALUE] CORPORA")
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() == 0 || flags.NArg() > 1 && *only != "verdicts":
		flags.Usage()
		return 2
	}
	if err := try.check(*only); err != nil {
		screen.Printf(stderr, "figures: %v\n", err)
		return 2
	}
	if len(try.protocols) > 0 {
		if err := try.run(newBench(ctx, flags.Arg(0), stderr), stdout); err != nil {
			screen.Printf(stderr, "figures: %v\n", err)
			return 1
		}
		return 0
	}
	if indexes := flags.Args()[1:]; len(indexes) > 0 {
		v, err := mailboxTest{newBench(ctx, flags.Arg(0), stderr)}.verdictsOfIndexes(indexes)
		if err != nil {
			screen.Printf(stderr, "figures: %v\n", err)
			return 1
		}
		screen.Printf(stdout, "%s", v.text())
		return 0
	}
	differ, err := regenerate(blocks(measure(ctx, flags.Arg(0), stderr)), *only, *check)
	if err != nil {
		screen.Printf(stderr, "figures: %v\n", err)
		return 1
	}
	for _, where := range differ {
		screen.Printf(stdout, "%s\n", where)
	}
	if *check && len(differ) > 0 {
		return 1
	}
	return 0
}

// regenerate updates the blocks of all pages, or the blocks of one name, or only checks them. It returns the blocks that
// differ. It measures after all pages are valid, and writes after all measurements.
func regenerate(known map[string]figures, only string, check bool) (differ []string, err error) {
	pages, err := readPages()
	if err != nil {
		return nil, err
	}
	wanted := func(name string) bool { return only == "" || name == only }
	found := false
	for _, p := range pages {
		for _, name := range p.names() {
			if known[name] == nil {
				return nil, fmt.Errorf("%s: there are no figures %q", p.file, name)
			}
			found = found || wanted(name)
		}
	}
	if only != "" && !found {
		return nil, fmt.Errorf("no page has figures %q", only)
	}
	for i := range pages {
		changed, err := pages[i].fill(known, wanted)
		if err != nil {
			return nil, err
		}
		for _, name := range changed {
			differ = append(differ, fmt.Sprintf("%s: %s", pages[i].file, name))
		}
	}
	if check {
		return differ, nil
	}
	for _, p := range pages {
		if err := p.write(); err != nil {
			return nil, err
		}
	}
	return differ, nil
}

// readPages reads README.md and the pages of docs and docs/inside.
func readPages() ([]page, error) {
	files, err := filepath.Glob(filepath.Join("docs", "*.md"))
	if err != nil {
		return nil, err
	}
	inside, err := filepath.Glob(filepath.Join("docs", "inside", "*.md"))
	if err != nil {
		return nil, err
	}
	var pages []page
	for _, file := range slices.Concat([]string{"README.md"}, files, inside) {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		parts, err := split(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		pages = append(pages, page{file, parts})
	}
	return pages, nil
}

// write writes the page to its file if its text has changed.
func (p page) write() error {
	old, err := os.ReadFile(p.file)
	if err != nil {
		return err
	}
	text := p.text()
	if string(old) == text {
		return nil
	}
	return os.WriteFile(p.file, []byte(text), 0o644)
}
