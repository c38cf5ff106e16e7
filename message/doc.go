// Package message decodes one e-mail: bytes in; header fields, visible text, links and attachment names out.
//
//	d := message.NewDecoder(message.DefaultOptions())
//	m := d.Decode(raw)
//	fmt.Printf("%s\n", m.Get("subject"))
//	for _, p := range m.Parts {
//		fmt.Printf("%s:%s", p.Type, p.Text)
//	}
//
// Decoding never fails. Mail breaks every rule of its RFCs, by accident and on purpose, and a filter must see what a reader of the
// mail would see. What cannot be decoded stays as it is, and [Message.Repairs] reports what was repaired. Comments marked QUIRK
// name the rule, the reality and an example in testdata.
//
// The header is a list of fields. The body of a multipart message has parts, which may be multipart or messages themselves; a
// [Part] is a leaf of that tree. A part is encoded for transport (base64, quoted-printable, uuencode), then as text (charset), then
// perhaps as HTML. Text that is valid UTF-8 is UTF-8; other text is in the declared charset, or in the likeliest one.
//
// Files are read by their content, whatever their types say: HTML, SVG, plain text, whole messages, calendars, visiting cards and
// PDF.
//
// Work is linear in the size of the message, and [Options] limits nesting, parts, text, header fields and time. A limit that was met
// is a repair, too; its phrase begins with "cut: ".
//
// A [Decoder] belongs to one goroutine and reuses its memory: a [Message] and all its slices are valid until the next
// [Decoder.Decode], and may share memory with the decoded bytes.
//
// The package does not read text in images, archives, office documents, TNEF (winmail.dat) and encrypted PDF. It names
// such files. Words, case and zero-width characters are left to package tokenize.
package message
