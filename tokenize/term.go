package tokenize

import "chaff/internal/evidence"

// Term is one term of a message. Its bytes are valid until the callback returns.
type Term struct {
	// Hash is the hash of Text under the key of the tokenizer.
	Hash uint64
	// Text is the term as people read it, tagged with its field.
	Text []byte
	// Token is the word the term comes from, as written in the message. It is nil for a term that does not come from a word.
	Token []byte
	// Head reports whether the term is in the head of the message: its header, its links, or the first bytes of its text, as many as the
	// options say. A pair of words never is.
	Head bool
	// Group is the kind of evidence the term belongs to. It follows from Text.
	Group evidence.Group
}
