package filter

import (
	"chaff/features"
	"chaff/internal/termkey"
	"chaff/message"
	"chaff/tokenize"
)

// Reading has the settings for turning bytes into a document. A model works only with the reading that it was trained with.
type Reading struct {
	Key      termkey.Key // hashes the terms
	Message  message.Options
	Tokenize tokenize.Options
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
	reading   Reading
	options   ReaderOptions
	decoder   *message.Decoder
	tokenizer *tokenize.Tokenizer
	bag       features.Bag
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
		if made.bag.Add(t.Hash, t.Group, t.Head) && o.Names {
			made.bag.Name(t.Words())
		}
	}
	return made, nil
}

// Key returns the key under which the reader hashes terms.
func (r *Reader) Key() termkey.Key { return r.reading.Key }

// Read decodes and tokenises a message. The results of Message and Bag are valid until the next call.
func (r *Reader) Read(raw []byte) message.Repairs {
	r.bag.Reset()
	repairs := r.terms(raw, r.add)
	if r.options.Grams {
		r.tokenizer.Grams(r.message, r.bag.AddGrams)
	}
	return repairs
}

// terms decodes a message and calls emit for each term.
func (r *Reader) terms(raw []byte, emit func(*tokenize.Term)) message.Repairs {
	r.message = r.decoder.Decode(raw)
	cut := r.tokenizer.Terms(r.message, emit)
	return r.message.Repairs | cut
}

// Message returns the last message.
func (r *Reader) Message() *message.Message { return r.message }

// Bag returns the terms and cells of the last message.
func (r *Reader) Bag() *features.Bag { return &r.bag }

// Forget frees the memory that grew with the last message.
func (r *Reader) Forget() {
	r.decoder, r.message, r.bag = message.NewDecoder(r.reading.Message), nil, features.Bag{}
	r.tokenizer, _ = tokenize.New(r.reading.Tokenize, r.reading.Key) // no error: the settings are those of NewReader
}
