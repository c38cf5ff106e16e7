// Package tabletest runs table tests of functions from strings to strings.
package tabletest

import "testing"

// Strings runs a subtest for each case. A case is its name, the argument of f, and the result that f must return.
func Strings(t *testing.T, f func(in string) string, cases [][3]string) {
	t.Helper()
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		t.Run(c[0], func(t *testing.T) {
			if got := f(c[1]); got != c[2] {
				t.Errorf("%q: got %q, want %q", c[1], got, c[2])
			}
		})
	}
}
