package message

import (
	"fmt"
	"iter"
	"math/bits"

	"chaff/internal/ascii"
)

// Message is one decoded e-mail. It is valid until the next Decode of its Decoder.
type Message struct {
	// Header holds the fields of the message's own header in order, without those of parts and attached messages, and
	// without the "From " line of an mbox.
	Header []Field
	// Attached holds, in order, the header fields of attached messages (message/rfc822 and the like), and of messages of
	// which only the header is attached (text/rfc822-headers).
	Attached []Field
	// Parts are the leaves of the message in order, text and attachments alike. A message that is not multipart has one
	// part. A file inside of a plain text (uuencode) is a part after that text. So is a frame inside of HTML
	// (srcdoc) that has text or links. Parts that only a further reading of an ambiguous message finds come last.
	Parts []Part
	// Links are the links of all text parts in order, with duplicates. In an HTML part, links in attributes precede links in
	// text.
	Links []Link
	// Repairs is what was repaired to read the message.
	Repairs Repairs
	// Marks is the set of deceptions in its HTML.
	Marks Marks
}

// Text is a part of a message that was decoded. In JSON it is a string.
type Text []byte

// MarshalText returns the text.
func (t Text) MarshalText() ([]byte, error) { return t, nil }

type Field struct {
	// Name is the name as written, trimmed; valid UTF-8.
	Name Text `json:"name"`
	// Value is the value on one line with encoded words (RFC 2047) decoded, trimmed; valid UTF-8.
	Value Text `json:"value"`
}

// Part is a leaf of the tree of parts.
type Part struct {
	// Type is the media type in lower case without parameters, such as "text/html". Without a readable type it is
	// "text/plain", or "message/rfc822" in a digest. That of a file inside of a text is "text/plain" or "application/octet-stream".
	Type Text `json:"type"`
	// Charset is the declared charset in lower case, empty if none is declared.
	Charset Text `json:"charset,omitempty"`
	// Encoding is the declared transfer encoding in lower case, empty if none is declared.
	Encoding Text `json:"encoding,omitempty"`
	// Filename is the declared file name, decoded; valid UTF-8, empty if none is declared.
	Filename Text `json:"filename,omitempty"`
	// Attachment says that the part is declared as an attachment, is not text, or is a file inside of a text.
	Attachment bool `json:"attachment"`
	// Text is what a reader sees, with a blank for each URL; valid UTF-8. It is nil for a part that is not text, or shows
	// none. Lines end as in the message: LF after an identity or quoted-printable encoding, possibly CR LF after base64.
	Text Text `json:"text,omitzero"`
	// Hidden is text of HTML or PDF that a reader does not see: without size or colour, or off the screen. It is valid
	// UTF-8.
	Hidden Text `json:"hidden,omitempty"`
	// Images is the number of images of HTML.
	Images int `json:"images"`
}

// LinkKind is what a link is for.
type LinkKind uint8

// The kinds of links.
const (
	LinkWritten LinkKind = iota // written in the text
	LinkAnchor                  // href of an element a or area
	LinkForm                    // where a form is sent: action, formaction
	LinkImage                   // the source of an image
	LinkOther                   // fetched otherwise: style sheets, backgrounds, frames, objects
)

// String returns a word for the kind: "written", "anchor", "form", "image" or "other".
func (k LinkKind) String() string {
	return [...]string{"written", "anchor", "form", "image", "other"}[min(k, LinkOther)]
}

// MarshalText returns the word for the kind.
func (k LinkKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Link is a link of a message.
type Link struct {
	Kind LinkKind `json:"kind"`
	// URL is valid UTF-8 of at most 2048 bytes.
	URL Text `json:"url"`
	// Base is the URL that URL is relative to; nil if URL is absolute or the document names no base.
	Base Text `json:"-"`
	// Text is the visible text of an anchor, trimmed, at most 256 bytes, with URLs as they are written; nil for other kinds.
	Text Text `json:"text,omitempty"`
}

// Get returns the value of the first header field of that name, in any case, or nil.
func (m *Message) Get(name string) []byte {
	for i := range m.Header {
		if ascii.EqualFold(m.Header[i].Name, name) {
			return m.Header[i].Value
		}
	}
	return nil
}

// Repair is a kind of damage that was repaired while decoding, or a limit that was reached.
type Repair uint8

// The kinds of repair. [Repair.String] describes each. Stores of learned mail have their numbers: a new kind gets the next number, and one
// that is given up leaves its number unused.
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
	_ // that of yEnc, which is given up
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
	_ // that of long tags, which are read
	CutStyles
	CutTokens
	CutTime
)

var phrases = [...]string{
	BareCR:             "line ended by a bare CR",
	NULBytes:           "NUL bytes in text",
	HeaderWithoutColon: "header line without a colon",
	HeaderWithoutEnd:   "header without an empty line after it",
	BadEncodedWord:     "broken encoded word",
	BadContentType:     "unreadable content type",
	MissingBoundary:    "multipart without a boundary",
	AbsentBoundary:     "boundary that never comes",
	BadBoundary:        "boundary lines other than declared",
	UnclosedMultipart:  "missing closing boundary",
	UnknownEncoding:    "unknown transfer encoding",
	MisspeltEncoding:   "misspelt transfer encoding",
	BadBase64:          "broken base64",
	BadQuotedPrintable: "broken quoted-printable",
	BadUUencode:        "broken uuencode",
	UnknownCharset:     "unknown charset",
	UndeclaredCharset:  "8-bit text without a charset",
	WrongCharset:       "text not in its declared charset",
	InvalidUTF8:        "invalid UTF-8",
	UndeclaredHTML:     "HTML declared as plain text",
	UnclosedTag:        "HTML tag or comment without an end",
	Contradiction:      "fields that contradict each other",
	CutDepth:           "cut: too deep",
	CutParts:           "cut: too many parts",
	CutText:            "cut: too much text",
	CutHeader:          "cut: header too long",
	CutURL:             "cut: URL too long",
	CutLinks:           "cut: too many links",
	CutStyles:          "cut: too many rules of style",
	CutTokens:          "cut: too many tokens",
	CutTime:            "cut: too much time",
}

// String returns a short phrase, such as "missing closing boundary".
func (r Repair) String() string {
	if int(r) < len(phrases) {
		return phrases[r]
	}
	return fmt.Sprintf("repair %d", uint8(r))
}

// Set is a set of kinds. The zero value is the empty set.
type Set[K ~uint8] uint64

// Has reports whether k is in the set.
func (s Set[K]) Has(k K) bool { return s&(1<<k) != 0 }

// All yields the members of the set in ascending order.
func (s Set[K]) All() iter.Seq[K] {
	return func(yield func(K) bool) {
		for rest := uint64(s); rest != 0; rest &= rest - 1 {
			if !yield(K(bits.TrailingZeros64(rest))) {
				return
			}
		}
	}
}

// Add adds k to the set.
func (s *Set[K]) Add(k K) { *s |= 1 << k }

// Repairs is a set of kinds of repair.
type Repairs = Set[Repair]

// Cuts is the repairs that are limits.
const Cuts Repairs = 1<<(CutTime+1) - 1<<CutDepth

// Mark is a kind of deception. [Mark.String] returns its name, which classifiers see. A [Message] has those of its HTML; package tokenize finds the
// others in its text and links.
type Mark uint8

// The marks.
const (
	HiddenText        Mark = iota // text that is hidden for any of the reasons below
	HiddenByStyle                 // display:none, visibility:hidden, opacity:0
	HiddenByColour                // text in the colour of its background
	HiddenBySize                  // text, or a box around it, of nearly no size
	HiddenOffScreen               // text far to the left of or above the screen
	CommentInWord                 // a comment between two letters
	TagInWord                     // an element that does not exist or is empty, between two letters
	BreakInWord                   // wbr or a soft hyphen between two letters
	NumericEntity                 // an ASCII letter or digit as a numeric reference, such as &#86;
	ZeroWidth                     // a zero-width character between letters
	Homoglyph                     // letters that look Latin: in a word with Latin ones, in a host, or in all words of their script
	SpacedLetters                 // a word with a space or sign between its letters
	FullWidth                     // full-width, mathematical or enclosed letters in a message without Chinese, Japanese or Korean
	DirectionOverride             // text that is displayed in another order than it is written
	LetterDigit                   // a digit or sign for a letter
	Punycode                      // a host name encoded in ASCII
	EscapedHost                   // a host name with escapes, as %77%77%77, which browsers decode
	MappedHost                    // a host that browsers read as another one: 0x7f.1, full-width letters, other dots, soft hyphens
	RepairedURL                   // a URL whose slashes browsers repair: http:\\host, https:/host, /\host
	LinkTextDomain                // the text of a link names another domain than its URL
	ImageOnly                     // images and next to no text
	StruckLetters                 // letters with a stroke across them or a line around them
	TurnedLetters                 // a word that is upside down
	TagLetters                    // invisible letters, of Unicode's block of tags
)

var markNames = [...]string{"hidden-text", "hidden-by-style", "hidden-by-colour", "hidden-by-size", "hidden-off-screen", "comment-in-word",
	"tag-in-word", "break-in-word", "numeric-entity", "zero-width", "homoglyph", "spaced-letters", "full-width", "direction-override", "letter-digit",
	"punycode", "escaped-host", "mapped-host", "repaired-url", "link-text-other-domain", "image-only", "struck-letters", "turned-letters", "tag-letters"}

// String returns the name of a mark, such as "hidden-text".
func (m Mark) String() string { return markNames[m] }

// Marks is a set of marks.
type Marks = Set[Mark]
