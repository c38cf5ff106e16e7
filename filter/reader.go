package filter

import (
	"encoding/binary"
	"slices"

	"chaff/features"
	"chaff/internal/termkey"
	"chaff/message"
	"chaff/tokenize"
)

// Reading has the settings for turning bytes into a document. A model works only with the reading that it was trained with.
type Reading struct {
	Key      termkey.Key      `json:"-"` // hashes the terms; a secret with a section of its own, so that printing settings never shows it
	Message  message.Options  `json:"message"`
	Tokenize tokenize.Options `json:"tokenize"`
}

// DefaultReading returns the default settings, with the public key.
func DefaultReading() Reading {
	return Reading{Message: message.DefaultOptions(), Tokenize: tokenize.DefaultOptions()}
}

// ReaderOptions select what a [Reader] keeps besides the terms.
type ReaderOptions struct {
	Grams bool // cells of runs of four bytes
	Names bool // texts of the terms
}

// Reader turns the bytes of messages into documents. Training, classification and [Reading.View] all use it. It belongs to one goroutine.
type Reader struct {
	// Bag has the terms and cells of the last message. What it has is valid until the next one is read.
	Bag       features.Bag
	reading   Reading
	options   ReaderOptions
	decoder   *message.Decoder
	tokenizer *tokenize.Tokenizer
	add       func(*tokenize.Term)
}

// NewReader returns a reader. The error is about the settings of the reading.
func NewReader(r Reading, o ReaderOptions) (*Reader, error) {
	tokenizer, err := tokenize.New(r.Tokenize, r.Key)
	if err != nil {
		return nil, err
	}
	made := &Reader{reading: r, options: o, decoder: message.NewDecoder(r.Message), tokenizer: tokenizer}
	made.add = func(t *tokenize.Term) { // made once, because a closure for each message would allocate
		if made.Bag.Add(t.Hash, t.Group, t.Head) && o.Names {
			made.Bag.Name(t.First, t.Second)
		}
	}
	return made, nil
}

// Read decodes and tokenizes a message.
func (r *Reader) Read(raw []byte) message.Repairs {
	r.Bag.Reset()
	m := r.decoder.Decode(raw)
	repairs := m.Repairs | r.tokenizer.Terms(m, r.add)
	if r.options.Grams {
		r.tokenizer.Grams(m, r.Bag.AddGrams)
	}
	return repairs
}

// Forget frees the memory that grew with the last message.
func (r *Reader) Forget() {
	r.decoder, r.Bag = message.NewDecoder(r.reading.Message), features.Bag{}
	r.tokenizer, _ = tokenize.New(r.reading.Tokenize, r.reading.Key) // no error: the settings are those of NewReader
}

// View is a message as a classifier sees it.
type View struct {
	Message *message.Message
	// Notes says of each field of the header that it does not become terms, or only in part; "" if it does.
	Notes []string
	// Terms are the distinct terms, in the order of their first occurrence.
	Terms []SeenTerm
	// Grams are the distinct runs of four bytes that have a cell, such as `bytes:X-Ma`, in the order of their first occurrence.
	Grams []SeenTerm
	// Tokens is the number of terms including repetitions.
	Tokens int
	// Repairs lists what the decoder and the tokenizer repaired or cut.
	Repairs message.Repairs
}

// SeenTerm is a term of a message.
type SeenTerm struct {
	Term  string `json:"term"`
	Count int    `json:"count"`
	// Tokens are the first distinct words that the term was made of, as written in the message; none for a term without words.
	Tokens []string `json:"tokens,omitempty"`
}

// maxTokens is the largest number of words of a term. Most terms have one word; terms for long words have any number.
const maxTokens = 16

// View reads a message as training and classification do. The error is about the settings.
func (r Reading) View(raw []byte) (View, error) {
	reader, err := NewReader(r, ReaderOptions{})
	if err != nil {
		return View{}, err
	}
	view := View{Message: reader.decoder.Decode(raw)}
	terms, grams := seenTerms{index: map[string]int{}}, seenTerms{index: map[string]int{}}
	view.Repairs = view.Message.Repairs | reader.tokenizer.Terms(view.Message, func(seen *tokenize.Term) {
		view.Tokens++
		t := terms.count(seen.Text())
		if seen.Token != nil && len(t.Tokens) < maxTokens && !slices.Contains(t.Tokens, string(seen.Token)) {
			t.Tokens = append(t.Tokens, string(seen.Token))
		}
	})
	reader.tokenizer.Grams(view.Message, func(text []byte) {
		for ; len(text) >= features.GramSize; text = text[1:] {
			if _, has := cellOf(text); has {
				grams.count(gramTag + string(text[:features.GramSize]))
			}
		}
	})
	view.Terms, view.Grams = terms.all, grams.all
	for _, f := range view.Message.Header {
		view.Notes = append(view.Notes, reader.tokenizer.Note(f))
	}
	return view, nil
}

// seenTerms are the distinct terms of a message, in the order of their first occurrence.
type seenTerms struct {
	all   []SeenTerm
	index map[string]int // by text
}

// count counts an occurrence of a term. The term is valid until the next call.
func (s *seenTerms) count(text string) *SeenTerm {
	i, known := s.index[text]
	if !known {
		i = len(s.all)
		s.index[text] = i
		s.all = append(s.all, SeenTerm{Term: text})
	}
	s.all[i].Count++
	return &s.all[i]
}

// gramTag is the tag of a run of four bytes.
const gramTag = "bytes:"

// cellOf returns the cell of the first four bytes, if they have one.
func cellOf(text []byte) (cell uint32, has bool) {
	return features.Cell(binary.LittleEndian.Uint32(text))
}
