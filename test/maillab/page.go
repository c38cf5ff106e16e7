//go:build linux

package maillab

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Page is a recipe of the documentation. It consists of files and of commands, so that a test can follow it.
//
// A block of code below a line that ends in the name of a file and a colon, such as "`~/.procmailrc`:", is the content of that
// file. It is added to the file if the line says "add to". A block marked sh holds commands, to be entered as root if
// the line above it says so.
type Page struct {
	l     *Lab
	text  string
	steps []step
}

type step struct {
	file     string // or empty
	add      bool
	asRoot   bool
	commands bool
	text     string
	done     bool
	left     bool // out, by Only
}

// Page reads a page of docs/recipes.
func (l *Lab) Page(name string) *Page {
	l.t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "recipes", name))
	if err != nil {
		l.t.Fatal(err)
	}
	return l.page(name, string(text))
}

// Section reads the part of a page of docs below a heading.
func (l *Lab) Section(name, heading string) *Page {
	l.t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		l.t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## "+heading+"\n")
	if !found {
		l.t.Fatalf("%s has no heading %q", name, heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return l.page(name, section)
}

func (l *Lab) page(name, text string) *Page {
	l.t.Helper()
	steps, err := parsePage(text)
	if err != nil {
		l.t.Fatalf("%s: %v", name, err)
	}
	p := &Page{l, text, steps}
	l.t.Cleanup(func() {
		for _, s := range p.steps {
			if !s.done && !l.t.Failed() {
				l.t.Errorf("%s: the test has not followed this part:\n%s", name, s.text)
			}
		}
	})
	return p
}

var fileName = regexp.MustCompile("`((?:/|~/)[^`]+)`[^`]*:$")

func parsePage(text string) ([]step, error) {
	var steps []step
	above, inBlock := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		kind, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && inBlock:
			above, inBlock = "", false
		case isFence:
			inBlock = true
			s := step{commands: kind == "sh", asRoot: strings.Contains(strings.ToLower(above), "as root")}
			if m := fileName.FindStringSubmatch(above); m != nil {
				s.file, s.add, s.commands = m[1], strings.Contains(above, "dd to `"), false
			} else if !s.commands {
				return nil, fmt.Errorf("a block is neither a file nor commands, below: %s", above)
			}
			steps = append(steps, s)
		case inBlock:
			steps[len(steps)-1].text += line + "\n"
		case line != "":
			above = line
		}
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("the page has nothing to follow")
	}
	return steps, nil
}

// Commands returns how many commands the page has. To write a file is one.
func (p *Page) Commands() int {
	n := 0
	for _, s := range p.steps {
		if s.file != "" {
			n++
		} else {
			n += strings.Count(s.text, "\n")
		}
	}
	return n
}

// Only returns the page without the parts other than files whose names, and commands whose text, contain a text.
func (p *Page) Only(text string) *Page {
	for i, s := range p.steps {
		if !strings.Contains(s.file, text) && !(s.commands && strings.Contains(s.text, text)) {
			p.steps[i].done = true
			p.steps[i].left = true
		}
	}
	return p
}

// DovecotPage reads the recipe of Dovecot, without the settings of the version that the lab does not have.
func (l *Lab) DovecotPage() *Page {
	l.t.Helper()
	other := "2.4"
	if l.hasDovecot24() {
		other = "2.3"
	}
	p := l.Page("dovecot.md")
	for i, s := range p.steps {
		if strings.Contains(s.file, other) {
			p.steps[i].done, p.steps[i].left = true, true
		}
	}
	return p
}

// Install writes the files of a page, those below ~ into the home of a user.
func (p *Page) Install(user string) {
	p.l.t.Helper()
	written := 0
	for i, s := range p.steps {
		if s.file == "" || s.left {
			continue
		}
		p.steps[i].done = true
		written++
		below, inHome := strings.CutPrefix(s.file, "~/")
		name := s.file
		if inHome {
			name = filepath.Join("/home", user, below)
		}
		mode := os.FileMode(0o644)
		if inHome {
			mode = 0o600 // maildrop and fetchmail insist on it
		}
		if strings.HasPrefix(s.text, "#!") {
			mode = 0o755
		}
		if s.add {
			p.l.Append(name, s.text)
		} else {
			p.l.Write(name, s.text, mode)
		}
		if inHome {
			p.l.Run("root", "chown -R "+user+": /home/"+user)
		}
	}
	if written == 0 {
		p.l.t.Fatal("the page has no file to write")
	}
}

// Quoted returns what a sentence of the page has as code, by its beginning.
func (p *Page) Quoted(begin string) string {
	p.l.t.Helper()
	_, after, found := strings.Cut(p.text, "`"+begin)
	quoted, _, ends := strings.Cut(after, "`")
	if !found || !ends {
		p.l.t.Fatalf("the page has no code that begins with %q", begin)
	}
	return begin + quoted
}

// Follow enters the commands of a page that contain a text, as root if the page says so, or else as a user.
func (p *Page) Follow(user, containing string) string {
	p.l.t.Helper()
	for i, s := range p.steps {
		if s.commands && strings.Contains(s.text, containing) {
			p.steps[i].done = true
			if s.asRoot {
				user = "root"
			}
			return p.l.Run(user, "set -e\n"+s.text)
		}
	}
	p.l.t.Fatalf("the page has no command with %q", containing)
	return ""
}
