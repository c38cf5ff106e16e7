package message

import "testing"

// FuzzSample compares the points of a sample without most of its ASCII with those of the whole sample, in every charset.
func FuzzSample(f *testing.F) {
	for _, seed := range []string{
		"", "plain", "caf\xe9", "\xe9t\xe9, \xc9T\xc9", "a\xe9b c \xe9", "\xcb\xcf\xd2\xc9 a\xdb", "A\xe9 .\xe9. aB\xe9Ba", " \xe9  \xe9 x",
	} {
		f.Add([]byte(seed))
	}
	g := newGuesser()
	f.Fuzz(func(t *testing.T, text []byte) {
		short := withoutASCII(nil, text)
		for i := range g.singles {
			s := &g.singles[i]
			if got, want := s.score(short), s.score(text); got != want {
				t.Errorf("%s: got %d points for %q, %d for %q", s.name, got, short, want, text)
			}
		}
	})
}
