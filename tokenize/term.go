package tokenize

// Term is one term of a message, as it is emitted.
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
	text []byte
}

// Text returns the term as people read it, tagged with its field. Most terms of most messages are never read, so it is made
// when it is asked for.
func (t *Term) Text() []byte {
	if t.tag == "" {
		return t.rest
	}
	t.text = append(append(t.text[:0], t.tag...), t.rest...)
	return t.text
}
