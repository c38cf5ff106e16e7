package message_test

import "testing"

func TestABoundaryMayBeDeclaredOtherwise(t *testing.T) {
	const parts = "\n\n--b\n\none\n--b\n\ntwo\n--b--\n"
	tests := []struct{ name, boundary, texts, repairs string }{
		{"as it is", "b", "one | two", ""},
		{"with its hyphens", `"--b"`, "one | two", "boundary lines other than declared"},
		{"in quotes of the wrong kind", "'b'", "one | two", "boundary lines other than declared"},
		{"with a comment", `"b (a comment)"`, "one | two", "boundary lines other than declared"},
		{"wrong", "c", "--b one --b two --b--", "boundary that never comes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := decode("Content-Type: multipart/mixed; boundary=" + test.boundary + parts)
			if got := texts(m); got != test.texts {
				t.Errorf("got %q, want %q", got, test.texts)
			}
			if got := repairs(m); got != test.repairs {
				t.Errorf("got repairs %q, want %q", got, test.repairs)
			}
		})
	}
}
