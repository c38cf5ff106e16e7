package tokenize

import "chaff/features"

// Term is one term of a message. Its bytes are not to be kept.
type Term struct {
	// Hash is the hash of Text under the key of the tokenizer.
	Hash uint64
	// Text is the term as people read it, tagged with its field.
	Text []byte
	// Token is the word the term was made of as it stands in the message, nil for a term that was not made of a word.
	Token []byte
	// Start says whether the term occurs at the start of the message: in its header, its links, or the first bytes of its
	// text as the options say. A pair of words never does.
	Start bool
	// Group is the kind of evidence that the term is part of. It follows from Text.
	Group features.Group
}
