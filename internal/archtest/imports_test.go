// Package archtest tests the rules of the architecture; see docs/inside/architecture.md.
package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "chaff/"

// rooms returns the rooms that each room may import. Every room may also import the leaves, and a leaf imports no room.
func rooms() map[string][]string {
	all := []string{"config", "corpus", "corpus/sample", "corpus/sources", "evaluate", "evaluate/lesson", "features", "filter", "filter/weights", "mailbox", "mailbox/imap", "message", "metrics", "models", "report", "serve", "serve/confine", "serve/lmtp", "serve/milter", "serve/spamd", "serve/systemd", "serve/web", "share", "store", "tokenize", "train"}
	return map[string][]string{
		"cmd/chaff":             append([]string{"cmd/internal/delivery"}, all...),
		"cmd/chaff-classify":    {"cmd/internal/delivery"},
		"cmd/chaff-learn":       {"cmd/internal/delivery", "corpus", "corpus/sample", "message", "store", "train"},
		"cmd/internal/delivery": {"corpus", "filter", "message"},
		"bench":                 {"config", "corpus", "message", "metrics", "docs/markdown"}, // it runs the programs
		"docs/markdown":         {},
		"docs/figures":          append([]string{"docs/markdown"}, all...),
		"docs/growth":           all,
		"test/corpustest":       {"corpus", "corpus/sources"},
		"test/servetest":        {"serve", "store", "train", "test/corpustest"},
		"test/modelstest":       {"models"},
		"test/lineartest":       {"test/testmain"},
		"test/tabletest":        {},
		"test/testmain":         {},
		"test/load":             {},
		"test/slurm":            {},
		"test/share":            {},
		"test/maillab":          {},                                                                                                                                                                          // it runs the programs
		"config":                {"corpus", "features", "mailbox", "message", "metrics", "models", "serve", "serve/lmtp", "serve/milter", "serve/spamd", "serve/web", "share", "store", "tokenize", "train"}, // for their Options
		"evaluate/lesson":       {"corpus", "corpus/sample", "features", "metrics", "models", "report", "train"},
		"evaluate":              {"corpus", "features", "filter", "message", "metrics", "models", "tokenize", "train"},
		"mailbox":               {"corpus", "corpus/sources", "filter", "message", "models", "store", "train"},
		"mailbox/imap":          {"corpus", "corpus/sources", "filter", "mailbox", "message"},
		"serve":                 {"filter", "message", "store"},
		"serve/confine":         {},
		"serve/lmtp":            {"filter", "serve", "store"},
		"serve/milter":          {"filter", "serve", "store"},
		"serve/spamd":           {"filter", "serve", "store"},
		"serve/systemd":         {"serve"},
		"share":                 {"store"},
		"serve/web":             {"filter", "message", "metrics", "report", "serve", "store", "train"}, // train for its results, which reports show
		"store":                 {"corpus", "features", "filter", "message", "metrics", "models", "tokenize", "train"},
		"train":                 {"corpus", "features", "filter", "message", "metrics", "models"},
		"filter":                {"features", "message", "metrics", "models", "tokenize"},
		"filter/weights":        {"features", "filter", "metrics", "models"},
		"models":                {"features"},
		"tokenize":              {"message"},
		"corpus":                {"message"},
		"corpus/sources":        {"corpus", "message"},
		"corpus/sample":         {"corpus", "corpus/sources"},
		"message":               {},
		"features":              {},
		"metrics":               {},
		"report":                {"evaluate", "filter", "metrics", "train"}, // for their results
	}
}

// isLeaf reports whether a package is in the folder internal at the root of the module.
func isLeaf(room string) bool { return strings.HasPrefix(room, "internal/") }

// onlyIn returns the rooms that may import a library, separated by spaces.
func onlyIn() map[string]string {
	return map[string]string{
		"github.com/spf13/viper":           "config",
		"github.com/go-viper/mapstructure": "config",
		"github.com/spf13/cobra":           "cmd/chaff",
		"github.com/spf13/pflag":           "cmd/chaff",
		"github.com/coreos/go-systemd":     "cmd/chaff serve/systemd",
		"golang.org/x/term":                "cmd/chaff cmd/internal/delivery",
		"github.com/kljensen/snowball":     "tokenize",
		"github.com/blevesearch/segment":   "tokenize",
		"golang.org/x/net/html":            "", // but tests
		"golang.org/x/text/encoding":       "config corpus/sources internal/pdftext message",
		"github.com/rogpeppe/go-internal":  "cmd/chaff",
		"github.com/fsnotify/fsnotify":     "mailbox",
		"github.com/nats-io/nats.go":       "share",
		"golang.org/x/net/publicsuffix":    "internal/publicsuffix",
		"golang.org/x/net/idna":            "internal/weburl tokenize",
		"github.com/klauspost/compress":    "corpus/sources share",
		"github.com/xi2/xz":                "corpus/sources",
		"github.com/emersion/go-imap":      "corpus/sources mailbox/imap",
		"github.com/emersion/go-sasl":      "mailbox/imap",
		"github.com/emersion/go-milter":    "serve/milter",
		"golang.org/x/text/unicode/norm":   "corpus/sources internal/weburl tokenize",
		"github.com/landlock-lsm":          "serve/confine",
		"gonum.org/v1/gonum":               "docs/figures metrics",
		"gonum.org/v1/plot":                "report",
		"golang.org/x/image":               "internal/css report",
		"github.com/tdewolff/parse":        "internal/css",
		"codeberg.org/go-fonts/liberation": "report",
		"html/template":                    "report serve/web",
	}
}

type imported struct{ room, file, path string }

// imports returns the imports of every Go file of the module.
func imports(t *testing.T) []imported {
	t.Helper()
	root := filepath.Join("..", "..")
	var all []imported
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && name != root) {
			return fs.SkipDir
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		for _, spec := range file.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			all = append(all, imported{path.Dir(rel), rel, p})
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d imports found: %v", len(all), err)
	}
	return all
}

// Tests may import any room.
func TestRoomsImportOnlyTheRoomsBelow(t *testing.T) {
	allowed := rooms()
	for _, i := range imports(t) {
		rules, isRoom := allowed[i.room]
		if !isRoom && !isLeaf(i.room) {
			t.Errorf("%s: %q is not a room", i.file, i.room)
			continue
		}
		room, ours := strings.CutPrefix(i.path, module)
		if !ours || strings.HasSuffix(i.file, "_test.go") {
			continue
		}
		if !slices.Contains(rules, room) && !isLeaf(room) {
			t.Errorf("%s: %s may not import %s", i.file, i.room, room)
		}
	}
}

func TestLibrariesStayInTheirRooms(t *testing.T) {
	for _, i := range imports(t) {
		for library, rooms := range onlyIn() {
			if (i.path == library || strings.HasPrefix(i.path, library+"/")) && !slices.Contains(strings.Fields(rooms), i.room) && !strings.HasSuffix(i.file, "_test.go") {
				t.Errorf("%s: only %s may import %s", i.file, rooms, library)
			}
		}
	}
}

// TestNothingIsLinkedThatOneMessageDoesNotNeed names what every start of a program for one message would pay for: package net looks for the
// resolver of the system, os/user for the C library, cryptography tests the processor, compression, HTML and languages fill tables, and the others are
// about settings, flags, plots and the network of chaff share.
func TestNothingIsLinkedThatOneMessageDoesNotNeed(t *testing.T) {
	for program, room := range map[string]string{"chaff-classify": "filter", "chaff-learn": "store"} {
		linked, err := exec.Command("go", "list", "-deps", module+"cmd/"+program).Output()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(linked), module+room+"\n") {
			t.Fatalf("%s is linked without %s: %s", program, room, linked)
		}
		for name := range strings.Lines(string(linked)) {
			switch name = strings.TrimSpace(name); name {
			case "net", "net/http", "os/user", "runtime/cgo", "html/template", "mime", "math/big", "crypto", "crypto/rand", "crypto/tls",
				"golang.org/x/net/html", "golang.org/x/text/encoding/htmlindex", "golang.org/x/text/language",
				"chaff/config", "chaff/corpus/sources", "chaff/report", "chaff/share",
				"github.com/spf13/viper", "github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/nats-io/nats.go":
				t.Errorf("%s is linked with %s", program, name)
			}
		}
	}
}

// TestDependenciesAreExplained checks that docs/inside/dependencies.md has a line for every module that go.mod requires directly.
func TestDependenciesAreExplained(t *testing.T) {
	gomod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	page := readPage(t, "inside/dependencies.md")
	direct := 0
	for line := range strings.Lines(string(gomod)) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) != 2 || !strings.HasPrefix(fields[1], "v") {
			continue
		}
		direct++
		if want := "`" + fields[0] + "` " + fields[1]; !strings.Contains(page, want) {
			t.Errorf("docs/inside/dependencies.md has no line with %s", want)
		}
	}
	if direct == 0 {
		t.Error("go.mod requires nothing")
	}
}
