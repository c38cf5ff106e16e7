package message_test

import (
	"strings"
	"testing"
)

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

// A sender may declare anything: what programs compare with is what is written.
func TestABoundaryIsWhatIsWritten(t *testing.T) {
	tests := []struct{ name, declared, line string }{
		{"an encoded word", `"=?utf-8?q?b?="`, "=?utf-8?q?b?="},
		{"an encoded word in pieces", "\n boundary*0=\"=?utf-8\";\n boundary*1=\"?q?b?=\"", "=?utf-8?q?b?="},
		{"a letter of Latin-1", "\"\xe4\"", "\xe4"},
		{"nothing", `""`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			field := strings.ReplaceAll("Content-Type: multipart/mixed; boundary="+test.declared, "boundary=\n", "\n")
			m := decode(field + "\n\n--" + test.line + "\n\none\n--" + test.line + "\nContent-Transfer-Encoding: base64\n\ndHdv\n--" + test.line + "--\n")
			equal(t, "text", texts(m), "one | two")
		})
	}
}
