package message_test

import (
	"encoding/base64"
	"strings"
	"testing"
)

// element returns an element of X.690; one without a size ends with two zeros.
func element(tag byte, isOpen bool, content ...string) string {
	all := strings.Join(content, "")
	switch {
	case isOpen:
		return string([]byte{tag, 0x80}) + all + "\x00\x00"
	case len(all) < 0x80:
		return string([]byte{tag, byte(len(all))}) + all
	}
	return string([]byte{tag, 0x82, byte(len(all) >> 8), byte(len(all))}) + all
}

// signedFile returns a file with a signed content, in one piece or in pieces of elements without sizes, and with so many digests.
func signedFile(content string, inPieces bool, digests int) string {
	octets := element(0x04, false, content)
	if inPieces {
		half := len(content) / 2
		octets = element(0x24, true, element(0x04, false, content[:half]), element(0x24, true, element(0x04, false, content[half:])))
	}
	id := func(last byte) string { return element(0x06, false, "\x2a\x86\x48\x86\xf7\x0d\x01\x07"+string(last)) }
	digest := element(0x30, inPieces, element(0x06, false, "\x60\x86\x48\x01\x65\x03\x04\x02\x01"))
	return element(0x30, inPieces, id(2), element(0xa0, inPieces, element(0x30, inPieces,
		element(0x02, false, "\x01"),
		element(0x31, inPieces, strings.Repeat(digest, digests)),
		element(0x30, inPieces, id(1), element(0xa0, inPieces, octets)),
		element(0x31, false))))
}

func TestWhatIsSignedInOneFileIsRead(t *testing.T) {
	const content = "Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<b>Pa=\r\ny</b>\r\n"
	one, pieces := signedFile(content, false, 1), signedFile(content, true, 1)
	const mime = "Content-Type: application/pkcs7-mime; smime-type=signed-data\n"
	tests := []struct{ name, header, file, texts string }{
		{"with sizes", mime, one, "- | Pay"},
		{"without sizes, in pieces", mime, pieces, "- | Pay"},
		{"an old name of the type", "Content-Type: application/x-pkcs7-mime\n", one, "- | Pay"},
		{"by its name", "Content-Type: application/octet-stream; name=smime.p7m\n", one, "- | Pay"},
		{"many digests", mime, signedFile(content, true, 200), "- | Pay"},
		{"signed twice", mime, signedFile(mime+"Content-Transfer-Encoding: base64\n\n"+base64.StdEncoding.EncodeToString([]byte(one)), true, 1), "- | - | Pay"},
		{"cut off", mime, one[:len(one)-12], "- | Pa"},
		{"encrypted", mime, element(0x30, true, element(0x06, false, "\x2a"), element(0xa0, true, element(0x30, true, element(0x02, false, "\x00"),
			element(0x31, false), element(0x30, true, element(0x06, false, "\x2a"), element(0x30, false), element(0x80, false, "Pay"))))), "-"},
		{"nothing", mime, "", "-"},
		{"of another name", "Content-Type: application/octet-stream; name=a.bin\n", one, "-"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := decode(test.header + "Content-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(test.file)))
			equal(t, "text", strings.TrimSpace(texts(m)), test.texts)
			for size := range test.file { // no cut of it is a fault
				decode(test.header + "\n" + test.file[:size])
			}
		})
	}
}
