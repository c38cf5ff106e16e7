package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Programs print text and JSON with package screen. With fmt they may print constant text, and anything into a buffer.
func TestProgramsPrintThroughScreen(t *testing.T) {
	for _, room := range []string{"cmd/chaff", "cmd/chaff-classify", "cmd/internal/delivery", "internal/hint", "bench", "docs/figures", "docs/growth"} {
		set := token.NewFileSet()
		files := sourcesOf(t, set, room)
		constants := constantsOf(files)
		for _, file := range files {
			for call := range callsIn(file) {
				if complaint := printsByItself(call, constants); complaint != "" {
					t.Errorf("%s: %s: use package screen for text of other origin", set.Position(call.Pos()), complaint)
				}
			}
		}
	}
}

// sourcesOf parses the files of a room except its tests.
func sourcesOf(t *testing.T, set *token.FileSet, room string) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(room), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		t.Fatalf("%s has no files", room)
	}
	return files
}

func TestPrintingWithoutScreenIsFound(t *testing.T) {
	for text, want := range map[string]string{
		`fmt.Fprintf(w, "%s\n", name)`:     "fmt.Fprintf",
		`fmt.Fprintln(w, err)`:             "fmt.Fprintln",
		`fmt.Println(name)`:                "fmt.Println",
		`fmt.Print("a", name)`:             "fmt.Print",
		`io.WriteString(p.stdout, name)`:   "io.WriteString",
		`p.stdout.Write(name)`:             "p.stdout.Write",
		`json.NewEncoder(p.stdout)`:        "json.NewEncoder",
		`println(name)`:                    "println",
		`log.Printf("%s", name)`:           "log.Printf",
		`fmt.Fprintln(w)`:                  "",
		`fmt.Fprint(w, "verdict\t", note)`: "",
		`fmt.Fprintf(&buffer, "%s", name)`: "",
		`json.NewEncoder(&buffer)`:         "",
		`screen.Printf(w, "%s", name)`:     "",
	} {
		expression, err := parser.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := printsByItself(expression.(*ast.CallExpr), []string{"note"}); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// printsByItself returns the name of a function that prints something other than a constant, else "".
func printsByItself(call *ast.CallExpr, constants []string) string {
	name := nameOf(call.Fun)
	args := call.Args
	switch {
	case name == "fmt.Print" || name == "fmt.Println" || name == "fmt.Printf":
	case name == "fmt.Fprint" || name == "fmt.Fprintln" || name == "fmt.Fprintf" || name == "io.WriteString":
		if isBuffer(args[0]) {
			return ""
		}
		args = args[1:]
	case name == "json.NewEncoder":
		if isBuffer(args[0]) {
			return ""
		}
		return name
	case name == "print" || name == "println" || strings.HasPrefix(name, "log."),
		strings.HasSuffix(name, ".stdout.Write"), strings.HasSuffix(name, ".stderr.Write"),
		strings.HasSuffix(name, ".Stdout.Write"), strings.HasSuffix(name, ".Stderr.Write"):
		return name
	default:
		return ""
	}
	for _, arg := range args {
		id, isName := arg.(*ast.Ident)
		if _, isLiteral := arg.(*ast.BasicLit); !isLiteral && !(isName && slices.Contains(constants, id.Name)) {
			return name
		}
	}
	return ""
}

// isBuffer reports whether a writer is the address of a local variable.
func isBuffer(writer ast.Expr) bool {
	address, ok := writer.(*ast.UnaryExpr)
	return ok && address.Op == token.AND
}

func nameOf(fun ast.Expr) string {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return nameOf(f.X) + "." + f.Sel.Name
	}
	return ""
}

func callsIn(file *ast.File) func(yield func(*ast.CallExpr) bool) {
	return func(yield func(*ast.CallExpr) bool) {
		for n := range ast.Preorder(file) {
			if call, ok := n.(*ast.CallExpr); ok && !yield(call) {
				return
			}
		}
	}
}

// constantsOf returns the names of the constants in files.
func constantsOf(files []*ast.File) []string {
	var names []string
	for _, file := range files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.CONST {
				for _, spec := range d.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}
