package tokenize

import "chaff/internal/evidence"

// Term is one term of a message. It is valid until the callback returns.
type Term struct {
	// Hash is the hash of the text under the key of the tokenizer.
	Hash uint64
	// Token is the word the term comes from, as written in the message. It is nil for a term that does not come from a word.
	Token []byte
	// Head reports whether the term is in the head of the message: its header, its links, or the first bytes of its text, as many as the
	// options say. A pair of words never is.
	Head bool
	// Group is the kind of evidence the term belongs to. It follows from Text.
	Group evidence.Group

	text   []byte // of a pair: of its first word
	second []byte // of a pair: its second word; nil for other terms
}

// AppendText appends the term as people read it, tagged with its field: "body:free", "body:free money".
func (t *Term) AppendText(dst []byte) []byte {
	dst = append(dst, t.text...)
	if t.second != nil {
		dst = append(append(dst, ' '), t.second...)
	}
	return dst
}

// Text returns the term as people read it.
func (t *Term) Text() string { return string(t.AppendText(nil)) }
