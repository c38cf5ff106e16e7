package message

import "chaff/internal/ascii"

// Message is one decoded e-mail. It is valid until the next Decode of its Decoder.
type Message struct {
	// Header holds the fields of the message's own header in order, without those of parts and attached messages, and
	// without the "From " line of an mbox.
	Header []Field
	// Attached holds, in order, the header fields of attached messages (message/rfc822 and the like), and of messages of
	// which only the header is attached (text/rfc822-headers).
	Attached []Field
	// Parts are the leaves of the message in order, text and attachments alike. A message that is not multipart has one
	// part. A file inside of a plain text (uuencode, yEnc) is a part after that text. So is a frame inside of HTML
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

type Field struct {
	// Name is the name as written, trimmed; valid UTF-8.
	Name []byte
	// Value is the value on one line with encoded words (RFC 2047) decoded, trimmed; valid UTF-8.
	Value []byte
}

// Part is a leaf of the tree of parts.
type Part struct {
	// Type is the media type in lower case without parameters, such as "text/html". Without a readable type it is
	// "text/plain", or "message/rfc822" in a digest. The content decides the type of a file inside of a text: "text/plain",
	// "text/html" or "application/octet-stream".
	Type []byte
	// Charset is the declared charset in lower case, empty if none is declared.
	Charset []byte
	// Encoding is the declared transfer encoding in lower case, empty if none is declared.
	Encoding []byte
	// Filename is the declared file name, decoded; valid UTF-8, empty if none is declared.
	Filename []byte
	// Attachment says that the part is declared as an attachment, is not text, or is a file inside of a text.
	Attachment bool
	// Text is what a reader sees, with a blank for each URL; valid UTF-8. It is nil for a part that is not text, or shows
	// none. Lines end as in the message: LF after an identity or quoted-printable encoding, possibly CR LF after base64.
	Text []byte
	// Hidden is text of HTML or PDF that a reader does not see: without size or colour, or off the screen. It is valid
	// UTF-8.
	Hidden []byte
	// Markup is the number of bytes of tags, comments, scripts and styles of HTML; Images is the number of its images.
	Markup, Images int
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

// Link is a link of a message.
type Link struct {
	Kind LinkKind
	// URL is valid UTF-8 of at most 2048 bytes.
	URL []byte
	// Base is the URL that URL is relative to; nil if URL is absolute or the document names no base.
	Base []byte
	// Text is the visible text of an anchor, trimmed, at most 256 bytes, with URLs as they are written; nil for other kinds.
	Text []byte
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
