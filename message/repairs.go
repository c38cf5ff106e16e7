package message

import (
	"fmt"
	"iter"
)

// Repair is one kind of damage that was mended while decoding, or one limit that was met.
type Repair uint8

// The kinds of repair; [Repair.String] says what each means. The order may change from release to release: store
// phrases, not numbers.
const (
	BareCR Repair = iota
	NULBytes
	HeaderWithoutColon
	HeaderWithoutEnd
	BadEncodedWord
	BadContentType
	MissingBoundary
	AbsentBoundary
	BadBoundary
	UnclosedMultipart
	UnknownEncoding
	MisspeltEncoding
	BadBase64
	BadQuotedPrintable
	BadUUencode
	BadYEnc
	UnknownCharset
	UndeclaredCharset
	WrongCharset
	InvalidUTF8
	UndeclaredHTML
	UnclosedTag
	Contradiction
	CutDepth
	CutParts
	CutText
	CutHeader
	CutURL
	CutLinks
	CutMarkup
	CutStyles
	CutTokens
	CutTime
	repairKinds // how many there are
)

// String returns a short phrase, such as "missing closing boundary".
func (r Repair) String() string {
	switch r {
	case BareCR:
		return "line ended by a bare CR"
	case NULBytes:
		return "NUL bytes in text"
	case HeaderWithoutColon:
		return "header line without a colon"
	case HeaderWithoutEnd:
		return "header without an empty line after it"
	case BadEncodedWord:
		return "broken encoded word"
	case BadContentType:
		return "unreadable content type"
	case MissingBoundary:
		return "multipart without a boundary"
	case AbsentBoundary:
		return "boundary that never comes"
	case BadBoundary:
		return "boundary lines other than declared"
	case UnclosedMultipart:
		return "missing closing boundary"
	case UnknownEncoding:
		return "unknown transfer encoding"
	case MisspeltEncoding:
		return "misspelt transfer encoding"
	case BadBase64:
		return "broken base64"
	case BadQuotedPrintable:
		return "broken quoted-printable"
	case BadUUencode:
		return "broken uuencode"
	case BadYEnc:
		return "broken yEnc"
	case UnknownCharset:
		return "unknown charset"
	case UndeclaredCharset:
		return "8-bit text without a charset"
	case WrongCharset:
		return "text not in its declared charset"
	case InvalidUTF8:
		return "invalid UTF-8"
	case UndeclaredHTML:
		return "HTML declared as plain text"
	case UnclosedTag:
		return "HTML tag or comment without an end"
	case Contradiction:
		return "fields that contradict each other"
	case CutDepth:
		return "cut: too deep"
	case CutParts:
		return "cut: too many parts"
	case CutText:
		return "cut: too much text"
	case CutHeader:
		return "cut: header too long"
	case CutURL:
		return "cut: URL too long"
	case CutLinks:
		return "cut: too many links"
	case CutMarkup:
		return "cut: HTML tag or comment too long"
	case CutStyles:
		return "cut: too many rules of style"
	case CutTokens:
		return "cut: too many tokens"
	case CutTime:
		return "cut: too much time"
	}
	return fmt.Sprintf("repair %d", uint8(r))
}

// IsCut reports whether r says that a limit was met, and something of the message left out.
func (r Repair) IsCut() bool { return CutDepth <= r && r <= CutTime }

// Repairs is a set of kinds of repair. The zero value is the empty set: nothing was mended.
type Repairs uint64

// Has reports whether r is in the set.
func (s Repairs) Has(r Repair) bool { return s&(1<<r) != 0 }

// Cut returns the members of the set that say that a limit was met.
func (s Repairs) Cut() Repairs {
	const upToTime, belowDepth Repairs = 1<<(CutTime+1) - 1, 1<<CutDepth - 1
	return s & upToTime &^ belowDepth
}

// All yields the members of the set in the order of the constants.
func (s Repairs) All() iter.Seq[Repair] {
	return func(yield func(Repair) bool) {
		for r := range repairKinds {
			if s.Has(r) && !yield(r) {
				return
			}
		}
	}
}

// With returns the set with r in it.
func (s Repairs) With(r Repair) Repairs { return s | 1<<r }

// add puts r into the set.
func (s *Repairs) add(r Repair) { *s |= 1 << r }
