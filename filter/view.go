package filter

import (
	"encoding/binary"
	"slices"

	"chaff/features"
	"chaff/message"
	"chaff/tokenize"
)

// View is a message as a classifier sees it.
type View struct {
	Message *message.Message
	// Uses describes, for each field of the header, which parts of it become terms.
	Uses []tokenize.FieldUse
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
	view.Repairs = reader.terms(raw, func(seen *tokenize.Term) {
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
	view.Message = reader.message
	view.Grams = reader.seenGrams()
	for _, f := range view.Message.Header {
		view.Uses = append(view.Uses, reader.tokenizer.Use(f))
	}
	return view, nil
}

// seenGrams returns the runs of four bytes of the last message.
func (r *Reader) seenGrams() []SeenGram {
	var grams []SeenGram
	index := make(map[uint32]int)
	r.tokenizer.Grams(r.message, func(text []byte) {
		for run := range features.ByteGrams(text) {
			cell, has := features.Cell(run)
			if !has {
				continue
			}
			i, known := index[run]
			if !known {
				i = len(grams)
				index[run] = i
				text := binary.LittleEndian.AppendUint32([]byte("bytes:"), run)
				grams = append(grams, SeenGram{SeenTerm{Term: string(text)}, cell})
			}
			grams[i].Count++
		}
	})
	return grams
}
