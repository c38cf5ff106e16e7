// Package message decodes one e-mail: bytes in, header fields, visible text, links and attachment names out.
//
//	d := message.NewDecoder(message.DefaultOptions())
//	m := d.Decode(raw)
//	for _, p := range m.Parts {
//		// p.Type, p.Filename, p.Text
//	}
//
// It never fails. Mail breaks every rule of its RFCs, by accident and on purpose, and a filter has to see what the
// reader of the mail would see: what cannot be decoded is taken as it is, and [Message.Repairs] tells what was mended.
// Comments marked QUIRK name the rule, the reality and the example in testdata.
//
// Vocabulary: the header is a list of fields; the body of a multipart message holds parts, which may be multipart or
// messages themselves; a [Part] of this package is a leaf of that tree. A part's content is encoded for transport
// (base64, quoted-printable, uuencode), then as text (charset), then perhaps as HTML; each step is one function here.
//
// Text is taken for UTF-8 if it is valid UTF-8, else for what is declared; if nothing is, or what is declared cannot be
// right, the charset is guessed from the first 2 KiB of it (guess.go).
//
// Work is linear in the size of the message, whatever its shape, and nesting, parts, text, header fields and time are
// limited by [Options]. What a limit cut off is a repair too, whose phrase starts with "cut: ".
//
// A [Decoder] belongs to one goroutine and reuses its memory: a [Message] and all its slices are valid until the next
// call of [Decoder.Decode], and may share memory with the bytes that were decoded.
//
// Files are read by what they are, whatever their types say: HTML, SVG, plain text, whole messages, calendars, visiting cards
// and PDF (formats.go).
//
// Not done here: words, case and zero-width characters (package tokenize), text in images, archives, office documents and
// TNEF (winmail.dat), which are named but not opened, encrypted PDF, and the content of files in yEnc.
package message
