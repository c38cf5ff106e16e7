package sources

import (
	"strings"
	"unicode"

	"github.com/emersion/go-imap/utf7"
)

// decodeMUTF7 decodes the modified UTF-7 of IMAP folder names (RFC 3501, 5.1.3). It returns any other name as it is: names
// in UTF-8 may have an "&" too.
//
// QUIRK: an encoded name can contain line ends and marks of direction, which would make one name look like another on a
// terminal. A name with a character that cannot be printed stays encoded.
func decodeMUTF7(name string) string {
	if !strings.Contains(name, "&") {
		return name
	}
	decoded, err := utf7.Encoding.NewDecoder().String(name)
	unprintable := func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.IsPrint(r) && r != '\u3000' && r != '\u00a0'
	}
	if err != nil || strings.ContainsFunc(decoded, unprintable) {
		return name
	}
	return decoded
}
