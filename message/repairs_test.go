package message

import "testing"

// Stores of learned mail have these numbers.
func TestTheNumbersOfRepairsStayTheSame(t *testing.T) {
	all := []Repair{
		BareCR, NULBytes, HeaderWithoutColon, HeaderWithoutEnd, BadEncodedWord, BadContentType, MissingBoundary, AbsentBoundary, BadBoundary,
		UnclosedMultipart, UnknownEncoding, MisspeltEncoding, BadBase64, BadQuotedPrintable, BadUUencode, BadUUencode + 1, UnknownCharset,
		UndeclaredCharset, WrongCharset, InvalidUTF8, UndeclaredHTML, UnclosedTag, Contradiction, CutDepth, CutParts, CutText, CutHeader, CutURL,
		CutLinks, CutLinks + 1, CutStyles, CutTokens, CutTime,
	}
	if len(all) != len(phrases) {
		t.Errorf("%d kinds of repair, want %d", len(phrases), len(all))
	}
	for i, r := range all {
		if int(r) != i {
			t.Errorf("%v has the number %d, want %d", r, r, i)
		}
	}
}
