package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// packages returns the folders of all packages but those that only tests have.
func packages(t *testing.T) []string {
	t.Helper()
	folders := make(map[string]bool)
	for _, i := range imports(t) {
		if !strings.HasPrefix(i.room, "test/") && !strings.HasSuffix(i.file, "_test.go") {
			folders[i.room] = true
		}
	}
	return slices.Sorted(maps.Keys(folders))
}

// TestPackagesHaveNoState holds that a variable of a package is set where it is declared and never again, and that other packages see none but errors.
func TestPackagesHaveNoState(t *testing.T) {
	for _, room := range packages(t) {
		set := token.NewFileSet()
		files := sourcesOf(t, set, room)
		variables := variablesOf(files)
		for name := range variables {
			if ast.IsExported(name) && !strings.HasPrefix(name, "Err") {
				t.Errorf("%s: the variable %s is exported: let a function return it", room, name)
			}
		}
		for _, file := range files {
			for _, changed := range changesOf(file, variables) {
				t.Errorf("%s: %s changes for all users of the package: let a value or a parameter hold it", set.Position(changed.Pos()), changed.Name)
			}
		}
	}
}

func TestChangesOfVariablesAreFound(t *testing.T) {
	for statement, want := range map[string]int{
		"a = 1": 1, "a++": 1, "b[0] = 1": 1, "c.d.e = 1": 1, "*c = x": 1, "use(&a)": 1, "for a = range 3 {}": 1, "a, x = 1, 2": 1, "clear(b)": 1, `delete(b, "x")`: 1,
		"a := 1; a = 2": 0, "x = a": 0, "x.a = 1": 0, "use(a)": 0, "a := 1; use(&a)": 0, "for a := range 3 { a++ }": 0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nvar a, b, c = 1, m, c\nfunc f(x int) {\n"+statement+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := changesOf(file, variablesOf([]*ast.File{file})); len(got) != want {
			t.Errorf("%s: got %d changes, want %d", statement, len(got), want)
		}
	}
}

// variablesOf returns the variables that files declare outside of functions, with the declaration of each.
func variablesOf(files []*ast.File) map[string]*ast.ValueSpec {
	all := make(map[string]*ast.ValueSpec)
	for _, file := range files {
		for _, d := range file.Decls {
			declared, isList := d.(*ast.GenDecl)
			if !isList || declared.Tok != token.VAR {
				continue
			}
			for _, spec := range declared.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					if name.Name != "_" {
						all[name.Name] = spec.(*ast.ValueSpec)
					}
				}
			}
		}
	}
	return all
}

// changesOf returns the variables in a file that are assigned to, in whole or in part, or whose address is taken.
func changesOf(file *ast.File, variables map[string]*ast.ValueSpec) (changed []*ast.Ident) {
	look := func(places ...ast.Expr) {
		for _, place := range places {
			name := rootOf(place)
			if name == nil || variables[name.Name] == nil {
				continue
			}
			if name.Obj == nil || name.Obj.Decl == variables[name.Name] { // no local variable of that name
				changed = append(changed, name)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				look(n.Lhs...)
			}
		case *ast.IncDecStmt:
			look(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				look(n.Key, n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				look(n.X)
			}
		case *ast.CallExpr:
			if name := nameOf(n.Fun); name == "clear" || name == "delete" || name == "copy" {
				look(n.Args[0])
			}
		}
		return true
	})
	return changed
}

// rootOf returns the variable of which a place such as v.field[0] is a part, or nil.
func rootOf(place ast.Expr) *ast.Ident {
	for {
		switch p := place.(type) {
		case *ast.Ident:
			return p
		case *ast.SelectorExpr:
			place = p.X
		case *ast.IndexExpr:
			place = p.X
		case *ast.SliceExpr:
			place = p.X
		case *ast.StarExpr:
			place = p.X
		case *ast.ParenExpr:
			place = p.X
		default:
			return nil
		}
	}
}
