package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTheHelpFitsInto80Columns(t *testing.T) {
	root := rootCommand(new(program), nil)
	commands := root.Commands()
	if len(commands) == 0 {
		t.Fatal("there are no commands")
	}
	for _, c := range append(commands, root) {
		for line := range strings.Lines(c.Long + "\n" + c.UsageString()) {
			if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > 80 {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), utf8.RuneCountInString(line), line)
			}
		}
		if c.Example == "" && c.Name() != "version" {
			t.Errorf("%s has no example", c.CommandPath())
		}
	}
}

func TestRoffEscapesWhatWouldBeARequest(t *testing.T) {
	for text, want := range map[string]string{
		"plain text":     "plain text",
		"--model NAME":   `\-\-model NAME`,
		`a\b`:            `a\eb`,
		".ham\n'spam":    "\\&.ham\n\\&'spam",
		"at ~/.bashrc .": `at ~/.bashrc .`,
	} {
		if got := roff(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestManualPagesAreValid renders every page, which must give no warning.
func TestManualPagesAreValid(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("this needs groff to render pages: install groff")
	}
	dir := t.TempDir()
	if got := chaff(t, dir, "help", "--man", dir); got.code != 0 {
		t.Fatal(got)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("got %d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		var warnings strings.Builder
		c := exec.CommandContext(t.Context(), groff, "-man", "-Tascii", "-ww", page)
		c.Stderr = &warnings
		text, err := c.Output()
		if err != nil || warnings.String() != "" || len(text) < 300 {
			t.Errorf("%s: %v, %s", filepath.Base(page), err, warnings.String())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "chaff-help.1")); err != nil {
		t.Error(err)
	}
}

// TestThePagesOfProgramsHaveTheirFlags compares the pages with the help of the programs.
func TestThePagesOfProgramsHaveTheirFlags(t *testing.T) {
	flag := regexp.MustCompile(`--[a-z-]+`)
	for _, name := range []string{"chaff-classify", "chaff-learn"} {
		command := []string{name, "--help"}
		if programs[name] == nil {
			command = []string{"go", "run", "-buildvcs=false", "chaff/cmd/" + name, "--help"}
		}
		help, err := exec.CommandContext(t.Context(), command[0], command[1:]...).Output()
		must(t, err)
		_, flags, _ := strings.Cut(string(help), "\nFlags:\n")
		var listed []string
		for line := range strings.Lines(flags) {
			if strings.HasPrefix(line, "  --") {
				listed = append(listed, flag.FindString(line))
			}
		}
		c := commands[strings.TrimPrefix(name, "chaff-")].make(&program{})
		_, about, _ := strings.Cut(c.Long, "The program "+name)
		if named := flag.FindAllString(about, -1); len(listed) == 0 || !slices.Equal(slices.Sorted(slices.Values(named)), listed) {
			t.Errorf("%s --help lists %s, and the help of the command %s", name, listed, named)
		}
	}
}
