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

// TestThePageOnMailNamesWhatExists wants every test and every example that docs/mail.md names to be there, and every
// example of package message to be named.
func TestThePageOnMailNamesWhatExists(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "mail.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := declaredTests(t, root)
	named := regexp.MustCompile(`\b(Test|Fuzz)\w+`).FindAllString(string(page), -1)
	for _, name := range named {
		if !slices.Contains(tests, name) {
			t.Errorf("docs/mail.md names %s, which is no test", name)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "message", "testdata", "*.eml"))
	if err != nil || len(files) == 0 || len(named) == 0 {
		t.Fatalf("%d examples, %d tests named: %v", len(files), len(named), err)
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

// TestThePageOnSecurityNamesWhatExists wants every test and every script that docs/security.md names to be there.
func TestThePageOnSecurityNamesWhatExists(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := declaredTests(t, root)
	named := regexp.MustCompile(`\b(Test|Fuzz)\w+`).FindAllString(string(page), -1)
	if len(named) == 0 {
		t.Fatal("docs/security.md names no test")
	}
	for _, name := range named {
		if !slices.Contains(tests, name) {
			t.Errorf("docs/security.md names %s, which is no test", name)
		}
	}
	for _, script := range regexp.MustCompile(`\w+\.txtar`).FindAllString(string(page), -1) {
		if _, err := os.Stat(filepath.Join(root, "cmd", "chaff", "testdata", "script", script)); err != nil {
			t.Errorf("docs/security.md names %s: %v", script, err)
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
