// Package tokenize turns a decoded message into terms.
//
// A term is a word tagged with the field it came from, as `subject:offer` or `body:offer`. Text is cut into words by
// Unicode's word boundaries (UAX #29, package segment), brought to one case and one form (NFKC, zero-width characters
// removed), and stemmed (package snowball) where a language is set. Scripts that write no spaces are counted in
// overlapping pairs of characters. The fields are
//
//	subject:WORD           the subject, stemmed
//	body:WORD              the visible text of all text parts, stemmed
//	from:WORD  to:WORD     names, addresses and their domains; likewise reply-to:, cc: and the other address fields
//	NAME:WORD              any other header field that is looked at, by its name in lower case
//	header:NAME            that the field occurs, its name as written
//	host:  domain:  path:  the parts of a URL: host, registered domain, words of path and query
//	type:  charset:  encoding:  the parts of the message: media type, charset, transfer encoding as declared
//	file:WORD              words and extension of an attachment's name
//
// Which header fields are looked at is decided in one place, fields.go. Some are never looked at, because a filter or a
// mailbox wrote them: their words would teach the classifier its own verdicts.
//
// A [Tokenizer] keeps scratch memory and a cache of stems and belongs to one goroutine. The same options give the same
// terms in every process.
package tokenize
