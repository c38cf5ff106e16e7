package train

import (
	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/littleendian"
	"chaff/message"
)

// AppendSketch appends the sketch of the subject and the text of a message, by which a grouped split knows near-duplicates: its fingerprints,
// little-endian.
func AppendSketch(dst []byte, m *message.Message) []byte {
	return littleendian.Append(dst, sketch(m, new(corpus.Sketcher)))
}

// VocabularyOf returns the vocabulary of documents for a kind of feature, and its terms.
func VocabularyOf(d *features.Documents, refs []features.Ref, kind features.Kind, o features.Options) (*features.Vocabulary, filter.Terms, error) {
	if kind == features.Whole {
		w := newWholeTerms(d.DocumentHashes(refs, 1))
		return w.vocabulary, w.terms, d.Err()
	}
	index, frequencies, err := d.Build(refs, o, 1)
	if err != nil {
		return nil, filter.Terms{}, err
	}
	return index.Vocabulary(), filter.Terms{Text: index.Text, Documents: frequencies}, d.Err()
}
