package main

import (
	"bytes"
	"encoding/base64"
	"mime"
	"slices"
	"strings"
	"unicode"

	"chaff/filter"
	"chaff/message"
)

// hammiest returns the n words of the text that speak most for ham, or fewer if there are no more.
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
		if isText && isWord(word) && len(words) < n && term.Weight > 0 {
			words = append(words, word)
		}
	}
	return words, nil
}

// isWord reports whether a term is one word of letters: others cannot be pasted so that the same term comes of them.
func isWord(term string) bool {
	return term != "" && strings.IndexFunc(term, func(c rune) bool { return !unicode.IsLetter(c) }) < 0
}

// place is where in the text of a message something is pasted.
type place bool

// The places.
const (
	atEnd   place = false
	atFront place = true
)

// String returns "at the end" or "at the front".
func (p place) String() string {
	if p == atFront {
		return "at the front"
	}
	return "at the end"
}

// paste returns a message with words at the end of its text.
func paste(raw []byte, words []string) []byte { return pasteText(raw, lines(words), atEnd) }

// pasteText returns a message with more text: as a part of its own if it has parts, and encoded if its text is in base64.
func pasteText(raw []byte, text string, at place) []byte {
	m := message.NewDecoder(message.DefaultOptions()).Decode(raw)
	kind, parameters, err := mime.ParseMediaType(string(m.Get("Content-Type")))
	encoding := strings.TrimSpace(string(m.Get("Content-Transfer-Encoding")))
	switch {
	case err == nil && strings.HasPrefix(kind, "multipart/") && parameters["boundary"] != "":
		return pastePart(raw, parameters["boundary"], text, at)
	case strings.EqualFold(encoding, "base64"):
		return pasteBase64(raw, text, at)
	case at == atFront:
		_, body := headerFields(raw)
		return slices.Concat(raw[:body], []byte(text), raw[body:])
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

// pastePart adds a part before the first line that begins one, or before the line that ends the parts, or at the end of the
// message if there is no such line.
func pastePart(raw []byte, boundary, text string, at place) []byte {
	part := "\n--" + boundary + "\nContent-Type: text/plain\n\n" + text
	var where int
	if at == atFront {
		where = bytes.Index(raw, []byte("\n--"+boundary))
	} else {
		where = bytes.LastIndex(raw, []byte("\n--"+boundary+"--"))
	}
	if where < 0 {
		where = len(raw)
	}
	return slices.Concat(raw[:where], []byte(part), raw[where:])
}

// pasteBase64 adds to a text in base64. One that is damaged stays as it is.
func pasteBase64(raw []byte, text string, at place) []byte {
	header, body, found := bytes.Cut(raw, []byte("\n\n"))
	decoded, err := base64.StdEncoding.DecodeString(string(body)) // which leaves out line ends
	if !found || err != nil {
		return raw
	}
	if at == atFront {
		decoded = append([]byte(text), decoded...)
	} else {
		decoded = append(decoded, "\n"+text...)
	}
	return bytes.Join([][]byte{header, []byte(base64.StdEncoding.EncodeToString(decoded))}, []byte("\n\n"))
}
