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
			equal(t, "text", texts(m), test.texts)
			equal(t, "repairs", repairs(m), test.repairs)
		})
	}
}
