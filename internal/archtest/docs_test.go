package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPagesNameTestsThatExist checks every test and every script that a page names.
func TestPagesNameTestsThatExist(t *testing.T) {
	root := filepath.Join("..", "..")
	tests := declaredTests(t, root)
	for _, name := range []string{"mail.md", "sources.md", "security.md", "formats.md", "architecture.md", "dependencies.md"} {
		page, err := os.ReadFile(filepath.Join(root, "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile(`\b(Test|Fuzz)[A-Z]\w+`).FindAllString(string(page), -1)
		for _, test := range named {
			if !slices.Contains(tests, test) {
				t.Errorf("docs/%s names %s, which is no test", name, test)
			}
		}
		if len(named) == 0 && (name == "mail.md" || name == "sources.md" || name == "security.md") {
			t.Errorf("docs/%s names no test", name)
		}
		for _, script := range regexp.MustCompile(`\w+\.txtar`).FindAllString(string(page), -1) {
			if _, err := os.Stat(filepath.Join(root, "cmd", "chaff", "testdata", "script", script)); err != nil {
				t.Errorf("docs/%s names %s: %v", name, script, err)
			}
		}
	}
}

// TestThePageOnMailNamesTheExamples checks that docs/mail.md names every example of package message, and no others.
func TestThePageOnMailNamesTheExamples(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "mail.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "message", "testdata", "*.eml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	examples := regexp.MustCompile(`[\w-]+\.eml`).FindAllString(string(page), -1)
	for _, name := range examples {
		if !slices.Contains(files, filepath.Join(root, "message", "testdata", name)) {
			t.Errorf("docs/mail.md names %s, which is no example", name)
		}
	}
	for _, file := range files {
		if !slices.Contains(examples, filepath.Base(file)) {
			t.Errorf("docs/mail.md does not name the example %s", filepath.Base(file))
		}
	}
}

// declaredTests lists the names of all tests and fuzz targets of the module.
func declaredTests(t *testing.T, root string) []string {
	t.Helper()
	declaration := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	var names []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, found := range declaration.FindAllStringSubmatch(string(source), -1) {
			names = append(names, found[1])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestLinksOfPagesLeadSomewhere checks the links between the pages of the documentation, and to files and folders.
func TestLinksOfPagesLeadSomewhere(t *testing.T) {
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchors := regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			target, anchor := filepath.Join(filepath.Dir(page), filepath.FromSlash(found[1])), found[2]
			if found[1] == "" {
				target = page
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", page, err)
				continue
			}
			if anchor == "" {
				continue
			}
			linked, err := os.ReadFile(target)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(heading.FindAllStringSubmatch(string(linked), -1), func(h []string) bool {
				return strings.ReplaceAll(strings.ToLower(notInAnchors.ReplaceAllString(h[1], "")), " ", "-") == anchor
			}) {
				t.Errorf("%s: %s has no heading #%s", page, target, anchor)
			}
		}
	}
}
