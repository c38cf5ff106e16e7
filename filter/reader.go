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
	message   *message.Message // the last message
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
	r.message = r.decoder.Decode(raw)
	repairs := r.message.Repairs | r.tokenizer.Terms(r.message, r.add)
	if r.options.Grams {
		r.tokenizer.Grams(r.message, r.Bag.AddGrams)
	}
	return repairs
}

// Forget frees the memory that grew with the last message.
func (r *Reader) Forget() {
	r.decoder, r.message, r.Bag = message.NewDecoder(r.reading.Message), nil, features.Bag{}
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
	Grams []SeenGram
	// Tokens is the number of terms including repetitions.
	Tokens int
	// Repairs lists what the decoder and the tokenizer repaired or cut.
	Repairs message.Repairs
}

// SeenGram is a run of four bytes of a message.
type SeenGram struct {
	SeenTerm
	cell uint32
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
	var view View
	index := make(map[string]int)
	view.Message = reader.decoder.Decode(raw)
	view.Repairs = view.Message.Repairs | reader.tokenizer.Terms(view.Message, func(seen *tokenize.Term) {
		view.Tokens++
		text := seen.Text()
		i, known := index[text]
		if !known {
			i = len(view.Terms)
			index[text] = i
			view.Terms = append(view.Terms, SeenTerm{Term: text})
		}
		t := &view.Terms[i]
		t.Count++
		if seen.Token != nil && len(t.Tokens) < maxTokens && !slices.Contains(t.Tokens, string(seen.Token)) {
			t.Tokens = append(t.Tokens, string(seen.Token))
		}
	})
	reader.message = view.Message
	view.Grams = reader.seenGrams()
	for _, f := range view.Message.Header {
		view.Notes = append(view.Notes, reader.tokenizer.Note(f))
	}
	return view, nil
}

// seenGrams returns the runs of four bytes of the last message.
func (r *Reader) seenGrams() []SeenGram {
	var grams []SeenGram
	index := make(map[string]int)
	r.tokenizer.Grams(r.message, func(text []byte) {
		for ; len(text) >= features.GramSize; text = text[1:] {
			cell, has := features.Cell(binary.LittleEndian.Uint32(text))
			if !has {
				continue
			}
			term := "bytes:" + string(text[:features.GramSize])
			i, known := index[term]
			if !known {
				i = len(grams)
				index[term] = i
				grams = append(grams, SeenGram{SeenTerm{Term: term}, cell})
			}
			grams[i].Count++
		}
	})
	return grams
}
