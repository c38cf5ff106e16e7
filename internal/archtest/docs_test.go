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

// TestPagesNameTestsAndFilesThatExist checks the names of tests, fuzz targets, scripts and example messages in pages that name them.
func TestPagesNameTestsAndFilesThatExist(t *testing.T) {
	root := filepath.Join("..", "..")
	tests := declaredTests(t, root)
	folders := map[string]string{".eml": filepath.Join("message", "testdata"), ".txtar": filepath.Join("cmd", "chaff", "testdata", "script")}
	for _, name := range []string{"inside/mail.md", "inside/sources.md", "inside/security.md", "inside/formats.md"} {
		page := readPage(t, name)
		named := regexp.MustCompile(`\b(Test|Fuzz)\w+`).FindAllString(page, -1)
		if len(named) == 0 {
			t.Errorf("docs/%s names no test", name)
		}
		for _, test := range named {
			if !slices.Contains(tests, test) {
				t.Errorf("docs/%s names %s, which is no test", name, test)
			}
		}
		for _, file := range regexp.MustCompile(`[\w-]+\.(eml|txtar)\b`).FindAllString(page, -1) {
			if _, err := os.Stat(filepath.Join(root, folders[filepath.Ext(file)], file)); err != nil {
				t.Errorf("docs/%s names %s: %v", name, file, err)
			}
		}
	}
}

func TestThePageOnMailNamesEveryExampleMessage(t *testing.T) {
	page := readPage(t, "inside/mail.md")
	files, err := filepath.Glob(filepath.Join("..", "..", "message", "testdata", "*.eml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d example messages: %v", len(files), err)
	}
	for _, file := range files {
		if !strings.Contains(page, filepath.Base(file)) {
			t.Errorf("docs/inside/mail.md does not name %s", filepath.Base(file))
		}
	}
}

// readPage returns a page of docs.
func readPage(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// declaredTests returns the names of all tests and fuzz targets of the module.
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
	inner, err := filepath.Glob(filepath.Join(root, "docs", "*", "*.md"))
	if err != nil || len(inner) == 0 {
		t.Fatalf("%d pages in folders: %v", len(inner), err)
	}
	pages = append(pages, inner...)
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
