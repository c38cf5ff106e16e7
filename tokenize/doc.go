// Package tokenize turns a decoded message into terms.
//
// A term is a word tagged with the field it came from, as `subject:offer` or `body:offer`. Text is cut into words by
// Unicode's word boundaries (UAX #29, package segment), as a reader sees it (NFKC, without what is not shown, legible.go), brought
// to one case, and stemmed (package snowball) where a language is set. Scripts that write no spaces are counted in
// overlapping pairs of characters, Korean in words and, from three syllables on, in pairs too, which find the stem that
// the particles at the end of a word hide. The fields are
//
//	subject:WORD           the subject, stemmed
//	body:WORD              the visible text of all text parts, stemmed
//	from:WORD  to:WORD     names, addresses and their domains; likewise reply-to:, cc: and the other address fields
//	subject:WORD WORD  body:WORD WORD  two neighbouring words or signs, each as it is counted; of the text its first bytes only
//	NAME:WORD              any other header field that is looked at, by its name in lower case
//	header:NAME            that the field occurs, its name as written
//	host:  domain:  path:  the parts of a URL: host, registered domain, words of path and query
//	type:  charset:  encoding:  the parts of the message: media type, charset, transfer encoding as declared
//	file:WORD              words and extension of an attachment's name
//	hidden:WORD            text that is not shown: of HTML, and of Unicode's block of tags
//	attached-subject:  attached-from:  attached-to:  attached-reply-to:  the header of an attached message
//	link:form  link:image  link:other  what a link is for, if it is not to be clicked
//	html:images:N  html:markup:N  the shape of HTML, if it is asked for: images, and bytes of markup for one of text, as the
//	                       largest power of two in them
//	script:NAME            a script other than Latin in which some of the text is written
//	class:CLASS  address:DOMAIN  amounts and e-mail addresses in the text, see [Options]
//	mark:NAME              a deception, once for a message
//
// and how the message is written, if [Options] want it: order:, value:, shape:, mime:, message-id:@, zone:, step:, same:,
// missing: and outline:, which structure.go describes.
//
// Each term is emitted with its group of evidence ([features.Group]): words and pairs of the text, with its classes and hidden words;
// the subject; links; structure, which is how the message is written, the fields that occur, parts and marks; and the words of the
// other header fields. [Tokenizer.Grams] emits, beside the terms, the runs of four bytes of the header and of the first bytes of the
// text. Runs of the header cross fields, and have those of the route in them, but not those of filters, mailboxes, lists and the
// delivery.
//
// Words that are disguised are counted as they were meant: with letters of another alphabet that look like Latin ones
// folded to these, and, beside the word as it is written, without digits for letters, without signs between letters, and turned
// round if it is upside down.
// Marks are those of [message.Mark], and
//
//	zero-width             a character without width between letters
//	homoglyph              letters of another alphabet that look like Latin ones, in a word with Latin letters or a host, or in a
//	                       word of a script in which there are no other words
//	spaced-letters         a word with a space or sign between each two letters
//	full-width             full-width, mathematical or enclosed letters in a message without Chinese, Japanese or Korean
//	struck-letters         letters with a stroke across them or a line around them
//	turned-letters         a word that is upside down
//	tag-letters            letters that are not shown, of Unicode's block of tags
//	direction-override     text that is shown in another order than it is written
//	letter-digit           a digit or sign in place of a letter
//	punycode               a host name encoded in ASCII
//	escaped-host           a host name with escapes, as %77%77%77, which browsers undo
//	mapped-host            a host that browsers read as another one: 0x7f.1, full-width letters, other dots, soft hyphens
//	repaired-url           a URL whose slashes browsers repair: http:\\host, https:/host, /\host
//	link-text-other-domain the text of a link names another domain than the one it leads to
//	image-only             images and next to no text
//
// Which header fields are looked at is decided in one place, fields.go. Some are never looked at, because a filter or a
// mailbox wrote them: their words would teach the classifier its own verdicts.
//
// A [Tokenizer] keeps scratch memory and a cache of stems and belongs to one goroutine. The same options give the same
// terms in every process.
package tokenize
