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

// hammiest returns the n words of the text with the strongest evidence for ham.
func hammiest(f *filter.Filter, n int) ([]string, error) {
	terms, err := f.Terms()
	if err != nil {
		return nil, err
	}
	strongest, err := f.Strongest(len(terms.Documents))
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

// isWord reports whether a term is a single word of letters, which produces the same term when it is pasted.
func isWord(term string) bool {
	return term != "" && strings.IndexFunc(term, func(c rune) bool { return !unicode.IsLetter(c) }) < 0
}

// position is where text is pasted into a message.
type position bool

// The positions.
const (
	atEnd   position = false
	atFront position = true
)

// String returns "at the end" or "at the front".
func (p position) String() string {
	if p == atFront {
		return "at the front"
	}
	return "at the end"
}

// paste returns a message with words added at the end of its text.
func paste(raw []byte, words []string) []byte { return pasteText(raw, lines(words), atEnd) }

// pasteText returns a message with more text: in a part of its own if it is multipart, in base64 if its text is.
func pasteText(raw []byte, text string, at position) []byte {
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

// lines returns words, ten a line.
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

// pastePart adds a part before the first boundary or the closing one, or at the end of the message.
func pastePart(raw []byte, boundary, text string, at position) []byte {
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

// pasteBase64 adds to base64 text. Damaged text stays as it is.
func pasteBase64(raw []byte, text string, at position) []byte {
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
