package message_test

import "testing"

func TestABoundaryMayBeDeclaredOtherwise(t *testing.T) {
	const parts = "\n\n--b\n\none\n--b\n\ntwo\n--b--\n"
	tests := []example{
		{"as it is", "b", "one | two", ""},
		{"with its hyphens", `"--b"`, "one | two", "boundary lines other than declared"},
		{"in quotes of the wrong kind", "'b'", "one | two", "boundary lines other than declared"},
		{"with a comment", `"b (a comment)"`, "one | two", "boundary lines other than declared"},
		{"wrong", "c", "--b one --b two --b--", "boundary that never comes"},
	}
	decodeAll(t, tests, "Content-Type: multipart/mixed; boundary=", parts, repairs)
}
