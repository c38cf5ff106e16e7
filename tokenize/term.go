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

// Words returns the two words of a pair as they are counted, as "body:free" and "money". Of any other term, first is the text and second is
// nil. They stay as they are until the next message.
func (t *Term) Words() (first, second []byte) { return t.text, t.second }

// Text returns the term as people read it, tagged with its field: "body:free", "body:free money".
func (t *Term) Text() string {
	if t.second == nil {
		return string(t.text)
	}
	return string(t.text) + " " + string(t.second)
}
