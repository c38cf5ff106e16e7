package config

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"chaff/models"
)

var update = flag.Bool("update", false, "write reference.txt and docs/configuration.md anew from the source")

// TestReferenceIsFresh holds the text that `chaff config --explain` prints, and the page of the documentation, to the
// doc comments in the source.
func TestReferenceIsFresh(t *testing.T) {
	comments := fieldComments(t)
	var reference strings.Builder
	for _, s := range settings(Default()) {
		text := comments[s.field]
		if text == "" {
			t.Errorf("%s: %s has no doc comment", s.key, s.field)
		}
		if _, stated, ok := strings.Cut(text, " Default "); ok && stated != valueTOML(s.value.Interface())+"." {
			t.Errorf("%s is %v by default, and its comment ends in %q", s.key, s.value, stated)
		}
		if !strings.Contains(reference.String(), s.field+"\t") {
			fmt.Fprintf(&reference, "%s\t%s\n", s.field, text)
		}
	}
	compare(t, "reference.txt", reference.String())
	compare(t, filepath.Join("..", "docs", "configuration.md"), page(comments))
}

// TestEveryModelHasASection checks that the settings of each model, if it has any, are settings of the program.
func TestEveryModelHasASection(t *testing.T) {
	for _, name := range models.Names() {
		trainer, _, err := models.DefaultOptions().New(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		section := "models." + strings.ReplaceAll(name, "-", "_") + "."
		found := slices.ContainsFunc(settings(Default()), func(s setting) bool { return strings.HasPrefix(s.key, section) })
		if want := reflect.TypeOf(trainer).Elem().NumField() > 0; found != want {
			t.Errorf("%s has a section: %v, want %v", name, found, want)
		}
	}
}

func compare(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the source says: run go test ./config -update", file)
	}
}

// fieldComments returns the doc comments of all struct fields of the rooms, by "room.Type.Field".
func fieldComments(t *testing.T) map[string]string {
	t.Helper()
	comments := make(map[string]string)
	for _, room := range []string{"config", "corpus", "message", "tokenize", "features", "mailbox", "models", "metrics", "serve", "share", "store"} {
		files, err := filepath.Glob(filepath.Join("..", room, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no source of %s: %v", room, err)
		}
		for _, file := range slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") }) {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, field := range s.Fields.List {
						for _, name := range field.Names {
							comments[room+"."+spec.Name.Name+"."+name.Name] = forUsers(name.Name, field.Doc.Text())
						}
					}
				}
				return true
			})
		}
	}
	return comments
}

// forUsers makes the comment of a field the text about a setting: without the name it starts with.
func forUsers(name, comment string) string {
	text := strings.Join(strings.Fields(comment), " ")
	text = strings.TrimPrefix(text, name+" ")
	for _, verb := range []string{"is ", "are "} {
		text = strings.TrimPrefix(text, verb)
	}
	names := models.Names()
	last := len(names) - 1
	text = strings.ReplaceAll(text, "one of models.Names", strings.Join(names[:last], ", ")+" or "+names[last])
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// page is docs/configuration.md: a table for each section. A setting that several sections have in common is described once.
func page(comments map[string]string) string {
	var b strings.Builder
	b.WriteString(`# Which settings are there?

` + "`go test ./config -update`" + ` writes this page from the comments in the source; ` + "`chaff config --explain`" + ` prints them with the settings in force.

A setting comes from the first of these that has it; an unknown setting is an error, one of an earlier version a warning:

| place | example |
|---|---|
| command line | ` + "`--set tokenize.language=none`" + `, or a flag of its own |
| environment | ` + "`CHAFF_TOKENIZE_LANGUAGE=none`" + ` |
| file in TOML, YAML or JSON | ` + "`--config FILE`, else `$XDG_CONFIG_HOME/chaff/config.toml`" + ` |

` + "```toml" + `
seed = 7

[tokenize]
language = "none"
ignore_headers = ["X-Our-*"]

[models.bernoulli]
smoothing = 0.5
` + "```" + `

A model contains the settings it was trained with, so ` + "`chaff classify`" + ` reads no configuration.
`)
	const head = "| key | default | meaning |\n|---|---|---|\n"
	section := "."
	describedIn := make(map[string]string)
	for _, s := range settings(Default()) {
		i := strings.LastIndexByte(s.key, '.')
		if here := s.key[:max(i, 0)]; here != section {
			section = here
			title := "[" + section + "]"
			if section == "" {
				title = "Top level"
			}
			fmt.Fprintf(&b, "\n## %s\n\n", title)
			if model, ok := strings.CutPrefix(section, "models."); ok {
				fmt.Fprintf(&b, "%s\n\n", models.About(strings.ReplaceAll(model, "_", "-")))
			}
			b.WriteString(head)
		}
		value := valueTOML(s.value.Interface())
		meaning := strings.TrimSuffix(comments[s.field], " Default "+value+".")
		meaning = strings.TrimSuffix(meaning, " The default depends on the model.")
		if first, ok := describedIn[s.field]; ok {
			meaning = "as in [" + first + "]"
		} else {
			describedIn[s.field] = section
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", s.key[i+1:], value, strings.ReplaceAll(meaning, "|", "\\|"))
	}
	fmt.Fprintf(&b, "\n## [[tune.search]]\n\n%s\n\n| key | meaning |\n|---|---|\n", comments["config.Tune.Search"])
	entry := reflect.TypeFor[Search]()
	for i := range entry.NumField() {
		field := entry.Field(i)
		fmt.Fprintf(&b, "| `%s` | %s |\n", field.Tag.Get("json"), comments["config.Search."+field.Name])
	}
	return b.String()
}
