package message

import "chaff/internal/ascii"

// Message is one decoded e-mail. It belongs to the Decoder that made it and is valid until its next Decode.
type Message struct {
	// Header holds the fields of the message's own header in their order. Headers of parts and of attached messages are
	// not in it, nor is the "From " line of an mbox.
	Header []Field
	// Attached holds the fields of the headers of attached messages (message/rfc822 and the like), and of messages of
	// which the header alone is attached (text/rfc822-headers), in their order.
	Attached []Field
	// Parts are the leaves of the message in their order, text and attachments alike. A message that is not multipart
	// has one; an empty message has one without text. A file that is written into a plain text, as uuencode or yEnc, is
	// a part after that text, and not in it. So is a document within HTML (srcdoc, data:) that holds text or links. What
	// is found only if a message is read by the second of two values that it gives comes last.
	Parts []Part
	// Links are the links of all text parts in their order, duplicates included. Within an HTML part those in attributes
	// come before those written in the text.
	Links []Link
	// Repairs tells what had to be mended to read the message.
	Repairs Repairs
	// Marks tells what deceptions its HTML holds.
	Marks Marks
}

// Field is one header field.
type Field struct {
	// Name is the name as written, without blanks around it; valid UTF-8.
	Name []byte
	// Value is the value on one line, with encoded words (RFC 2047) decoded; valid UTF-8, without blanks around it.
	Value []byte
}

// Part is one leaf of the tree of parts.
type Part struct {
	// Type is the media type in lower case, without parameters, such as "text/html". It is "text/plain", or
	// "message/rfc822" in a digest, if none is given or it cannot be read. For a file within a text it is "text/plain",
	// "text/html" or "application/octet-stream", by its content.
	Type []byte
	// Charset is the declared charset in lower case, empty if none is declared.
	Charset []byte
	// Encoding is the declared transfer encoding in lower case, empty if none is declared.
	Encoding []byte
	// Filename is the declared name of the file, decoded, valid UTF-8, empty if none is given.
	Filename []byte
	// Attachment says that the part is declared as an attachment, or that its type is not text, or that it is a file
	// within a text.
	Attachment bool
	// Text is what a reader would see: valid UTF-8, HTML as its visible text, each URL in it replaced by a space. It is
	// nil for a part that is not text, or of which nothing is shown. Of a calendar, card or PDF it is what these show. Lines
	// end as in the message: LF after an identity or quoted-printable transfer encoding, possibly CR LF after base64.
	Text []byte
	// Hidden is text that HTML or a PDF holds but a reader would not see: of no size, of no colour, off the screen. Valid
	// UTF-8.
	Hidden []byte
	// Markup is the size in bytes of the tags, comments, scripts and styles of HTML; Images is how many images it has.
	// Both are 0 for other text.
	Markup, Images int
}

// LinkKind is what a link is for.
type LinkKind uint8

// The kinds of link.
const (
	LinkWritten LinkKind = iota // written in the text
	LinkAnchor                  // to be clicked: href of an element a or area
	LinkForm                    // where a form is sent to: action, formaction
	LinkImage                   // shown: the source of an image
	LinkOther                   // fetched in another way: style sheets, backgrounds, frames, objects
)

// String returns a word for the kind: "written", "anchor", "form", "image" or "other".
func (k LinkKind) String() string {
	return [...]string{"written", "anchor", "form", "image", "other"}[min(k, LinkOther)]
}

// Link is one link of a message.
type Link struct {
	Kind LinkKind
	// URL is valid UTF-8 of at most 2048 bytes.
	URL []byte
	// Base is the URL that URL is relative to, nil if URL is not relative or its document names no base.
	Base []byte
	// Text is the visible text that an anchor stands under, without blanks around it, at most 256 bytes of it; nil for
	// other kinds. If it holds a URL, that is in it as it is written.
	Text []byte
}

// Get returns the value of the first header field of that name, case-insensitive, or nil.
func (m *Message) Get(name string) []byte {
	for i := range m.Header {
		if ascii.EqualFold(m.Header[i].Name, name) {
			return m.Header[i].Value
		}
	}
	return nil
}
