package filter

import (
	"chaff/features"
	"chaff/message"
	"chaff/tokenize"
)

// Reading is how bytes become a document: what a model was trained with and must be used with.
type Reading struct {
	Key      features.Key // that terms are hashed under
	Message  message.Options
	Tokenize tokenize.Options
}

// DefaultReading returns the settings used when nothing else is said, with the key that everybody knows.
func DefaultReading() Reading {
	return Reading{Message: message.DefaultOptions(), Tokenize: tokenize.DefaultOptions()}
}

// reader turns the bytes of messages into documents, one after the other. It belongs to one goroutine.
type reader struct {
	decoder   *message.Decoder
	tokenizer *tokenize.Tokenizer
	bag       features.Bag
	into      func(tokenize.Term) // add, made once
	grams     bool                // whether they are wanted
	named     bool                // whether the texts of terms are wanted
	message   *message.Message    // the one that was decoded last
	limits    message.Options
}

func newReader(r Reading) (*reader, error) {
	tokenizer, err := tokenize.New(r.Tokenize, r.Key)
	if err != nil {
		return nil, err
	}
	made := &reader{decoder: message.NewDecoder(r.Message), tokenizer: tokenizer, limits: r.Message}
	made.into = func(t tokenize.Term) { made.add(t) }
	return made, nil
}

// document returns the terms of a message. It is valid until the next call.
func (r *reader) document(raw []byte) (features.Document, message.Repairs) {
	repairs := r.gather(raw)
	return r.bag.Document(), repairs
}

// gather fills the bag with the terms of a message.
func (r *reader) gather(raw []byte) message.Repairs {
	r.bag.Reset()
	repairs := r.terms(raw, r.into)
	if r.grams {
		r.tokenizer.Grams(r.message, r.bag.AddRuns)
	}
	return repairs
}

// terms is the one way from the bytes of a message to its terms, in training, in classification, and for people who want
// to see them.
func (r *reader) terms(raw []byte, emit func(tokenize.Term)) message.Repairs {
	r.message = r.decoder.Decode(raw)
	cut := r.tokenizer.Terms(r.message, emit)
	return r.message.Repairs | cut
}

// forget frees the memory that grew with the last message.
func (r *reader) forget() {
	r.decoder, r.message, r.bag = message.NewDecoder(r.limits), nil, features.Bag{}
}

func (r *reader) add(t tokenize.Term) {
	if r.bag.Add(t.Hash, t.Group, t.Head) && r.named {
		r.bag.Name(t.Text)
	}
}
