package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime"
	"strings"
	"unicode"

	"chaff/corpus"
	"chaff/filter"
	"chaff/message"
)

// goodWords is how many words are pasted into a spam.
const goodWords = 100

// attacked is how much of the test spam is caught, before and after words of ham were pasted into it.
type attacked struct {
	spam int
	rows []attackRow
}

type attackRow struct {
	model         string
	before, after caught
}

// caught counts spam by its score: above the natural boundary, and above the threshold that loses 0.1% of the ham.
type caught struct{ boundary, threshold int }

// measureGoodWords attacks each model with its own strongest words: nobody could know better ones.
func (b *bench) measureGoodWords() (attacked, error) {
	collection, err := b.spamAssassinApart()
	if err != nil {
		return attacked{}, err
	}
	spam, err := b.testSpam(collection)
	if err != nil {
		return attacked{}, err
	}
	b.tell("  words of ham pasted into spam of SpamAssassin")
	names := b.rivals()
	rows, err := inParallel(len(names), func(i int) (attackRow, error) {
		f, _, err := filter.Train(b.ctx, collection, names[i], b.trainOptions())
		if err != nil {
			return attackRow{}, err
		}
		words, err := hammiest(f, goodWords)
		if err != nil {
			return attackRow{}, err
		}
		row := attackRow{model: names[i]}
		for _, raw := range spam {
			row.before.count(f.Classify(raw))
			row.after.count(f.Classify(paste(raw, words)))
		}
		return row, nil
	})
	return attacked{len(spam), rows}, err
}

func (c *caught) count(v filter.Verdict) {
	if v.Score > 0 {
		c.boundary++
	}
	if v.Decision == filter.Spam {
		c.threshold++
	}
}

// testSpam reads the spam of the test part once more, as it came.
func (b *bench) testSpam(collection *filter.Collection) ([][]byte, error) {
	wanted := make(map[string]bool)
	for _, m := range collection.Members() {
		if m.Part == corpus.Test && collection.Classes()[m.Label] == corpus.Spam.String() {
			wanted[m.Origin] = true
		}
	}
	source, err := b.spamAssassin()
	if err != nil {
		return nil, err
	}
	var spam [][]byte
	for item, err := range source {
		if err != nil || !wanted[item.Origin] {
			continue // what cannot be listed was not wanted
		}
		raw, err := item.Read(nil)
		if err != nil {
			return nil, err
		}
		spam = append(spam, raw)
	}
	return spam, nil
}

// hammiest returns the n words of the text that speak most for ham.
func hammiest(f *filter.Filter, n int) ([]string, error) {
	terms, err := f.Terms()
	if err != nil {
		return nil, err
	}
	strongest, err := f.Strongest(len(terms.Texts))
	if err != nil {
		return nil, err
	}
	var words []string
	for _, term := range strongest[0] { // ham is the first class
		word, isText := strings.CutPrefix(term.Term, "body:")
		if isText && isWord(word) && len(words) < n {
			words = append(words, word)
		}
	}
	return words, nil
}

// isWord reports whether a term is one word of letters: others cannot be pasted so that the same term comes of them.
func isWord(term string) bool {
	return term != "" && strings.IndexFunc(term, func(c rune) bool { return !unicode.IsLetter(c) }) < 0
}

// paste returns a message with words at the end of its text: as a last part if it has parts, and encoded if its text is in
// base64.
func paste(raw []byte, words []string) []byte {
	text := lines(words)
	m := message.NewDecoder(message.DefaultOptions()).Decode(raw)
	kind, parameters, err := mime.ParseMediaType(string(m.Get("Content-Type")))
	encoding := strings.TrimSpace(string(m.Get("Content-Transfer-Encoding")))
	switch {
	case err == nil && strings.HasPrefix(kind, "multipart/") && parameters["boundary"] != "":
		return pastePart(raw, parameters["boundary"], text)
	case strings.EqualFold(encoding, "base64"):
		return pasteBase64(raw, text)
	}
	return bytes.Join([][]byte{raw, []byte(text)}, []byte("\n"))
}

// lines writes ten words a line.
func lines(words []string) string {
	var b strings.Builder
	for i, word := range words {
		b.WriteString(word)
		if i%10 == 9 || i == len(words)-1 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// pastePart adds a part before the line that ends the parts, or at the end of the message if it has none.
func pastePart(raw []byte, boundary, text string) []byte {
	part := "\n--" + boundary + "\nContent-Type: text/plain\n\n" + text
	end := bytes.LastIndex(raw, []byte("\n--"+boundary+"--"))
	if end < 0 {
		end = len(raw)
	}
	return bytes.Join([][]byte{raw[:end], []byte(part), raw[end:]}, nil)
}

// pasteBase64 adds to a text in base64. One that is damaged stays as it is.
func pasteBase64(raw []byte, text string) []byte {
	header, body, found := bytes.Cut(raw, []byte("\n\n"))
	decoded, err := base64.StdEncoding.DecodeString(string(body)) // which leaves out line ends
	if !found || err != nil {
		return raw
	}
	encoded := base64.StdEncoding.EncodeToString(append(decoded, "\n"+text...))
	return bytes.Join([][]byte{header, []byte(encoded)}, []byte("\n\n"))
}

func (a attacked) text() string {
	share := func(n int) string { return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(max(a.spam, 1))) }
	var rows []string
	for _, r := range a.rows {
		rows = append(rows, fmt.Sprintf("%s | %s | %s | %s | %s", r.model, share(r.before.boundary), share(r.after.boundary),
			share(r.before.threshold), share(r.after.threshold)))
	}
	return fmt.Sprintf(`Of %s test spams of SpamAssassin, the share that is caught, before and after the %d strongest ham words of the text of each
model were pasted into them; at the natural boundary, and at the threshold that loses 0.1%% of the development ham:

`, thousands(a.spam), goodWords) +
		table("model | at the boundary: before | after | at the threshold: before | after", rows)
}
