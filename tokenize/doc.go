// Package tokenize turns a decoded message into terms.
//
// A term is a word tagged with the field it comes from, as `subject:offer` or `body:offer`. Text is normalised to what a reader sees
// (visible.go), divided at Unicode's word boundaries (UAX #29, package segment), brought to lower case, and stemmed in a language
// (package snowball). Scripts without spaces are counted in overlapping pairs of characters. Korean is counted in words and, from three
// syllables on, also in pairs, which find the stem before the particles. The tags are
//
//	subject:WORD           a word of the subject, stemmed
//	body:WORD              a word of the visible text of all text parts, stemmed
//	from:WORD  to:WORD     names, addresses and their domains; also reply-to:, cc: and the other address fields
//	subject:WORD WORD  body:WORD WORD  two neighbouring words or signs; only at the head of the text
//	NAME:WORD              any other header field that is used, by its name in lower case
//	header:NAME            the name of a header field, as written
//	host:  domain:  path:  the parts of a URL: host, registered domain, words of path and query
//	type:  charset:  encoding:  the parts of the message: media type, charset, declared transfer encoding
//	file:WORD              words and extension of an attachment's name
//	hidden:WORD            text that is not shown: of HTML, and of Unicode's block of tags
//	attached-subject:  attached-from:  attached-to:  attached-reply-to:  the header of an attached message
//	link:form  link:image  link:other  the kind of a link that is not for clicking
//	script:NAME            a script of the text, other than Latin
//	mark:NAME              a deception, once for a message
//
// With [Options.Structure], the tags order:, value:, shape:, mime:, message-id:@, zone:, step:, same:, missing: and outline: describe how
// the message is written (structure.go).
//
// Each term belongs to a group of evidence ([evidence.Group]): words and pairs of the text, with its hidden words; the subject; links;
// structure, with names of fields, parts and marks; words of other header fields. [Tokenizer.Grams] returns the text whose 4-grams of
// bytes are evidence beside the terms.
//
// Disguised words are counted as they were meant. Letters of another alphabet that look Latin are replaced by Latin ones. A word with
// digits for letters, with signs between letters, or upside down is counted both as written and as meant. [message.Mark] has the marks.
//
// fields.go decides which header fields are used. Fields that a filter or a mailbox wrote (package headerfield) never are: their words
// would teach the classifier the verdicts of another filter.
//
// A [Tokenizer] keeps scratch memory and a cache of stems, and is not safe for concurrent use. The same options give the same terms in
// every process.
package tokenize
