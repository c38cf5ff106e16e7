package archtest

import (
	"go/ast"
	"go/token"
	"testing"
)

// TestTypesAreSmall holds the limits of a type: a reader keeps no more in mind.
func TestTypesAreSmall(t *testing.T) {
	const maxFields, maxMethods = 20, 30
	for _, room := range packages(t) {
		methods := make(map[string]int)
		for _, file := range sourcesOf(t, token.NewFileSet(), room) {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					if s, is := n.Type.(*ast.StructType); is && s.Fields.NumFields() > maxFields {
						t.Errorf("%s: %s has %d fields: %d at most", room, n.Name, s.Fields.NumFields(), maxFields)
					}
				case *ast.FuncDecl:
					if n.Recv != nil {
						receiver := n.Recv.List[0].Type
						if star, is := receiver.(*ast.StarExpr); is {
							receiver = star.X
						}
						if name, is := receiver.(*ast.Ident); is {
							methods[name.Name]++
						}
					}
				}
				return true
			})
		}
		for name, n := range methods {
			if n > maxMethods {
				t.Errorf("%s: %s has %d methods: %d at most", room, name, n, maxMethods)
			}
		}
	}
}
