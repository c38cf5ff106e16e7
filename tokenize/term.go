package tokenize

// Term is one term of a message.
type Term struct {
	// Hash is the hash of the text, by [features.Hash].
	Hash uint64
	// Token is the word the term was made of as it stands in the message, nil for a term that was not made of a word.
	Token []byte
	// Start says whether the term occurs at the start of the message: in its header, its links, or the first bytes of its
	// text as the options say. A pair of words never does.
	Start bool

	tag  string // the text is tag and rest
	rest []byte
}

// AppendText appends the text of the term, as people read it, tagged with its field. Most terms of most messages are never
// read, so it is made when it is asked for.
func (t Term) AppendText(dst []byte) []byte { return append(append(dst, t.tag...), t.rest...) }

// String returns the text of the term.
func (t Term) String() string { return string(t.AppendText(nil)) }
