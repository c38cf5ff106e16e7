package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"mime"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/train"
)

// Some messages of a replay have a twin: a near-copy with the opposite label and some words exchanged. Errors of several draws
// are added.
const (
	twinShare = 0.05
	exchanged = 0.04
	draws     = 3
	twinSeed  = 0x7477696e73 // keeps twins apart from what else a seed draws
)

// replayTwins replays SpamAssassin with twins, and counts errors on the original messages.
func (b protocolTest) replayTwins(models []string) ([]robustRow, error) {
	letters, err := b.letters()
	if err != nil {
		return nil, err
	}
	source, twins := withTwins(letters)
	mail, err := b.collectInOrder(source)
	if err != nil {
		return nil, err
	}
	errors, err := b.errorsOfDraws(mail, models, func(members []train.Member, draw uint64) []train.Member {
		return slices.DeleteFunc(members, func(m train.Member) bool {
			of, isTwin := twins[m.Origin]
			return isTwin && of != draw
		})
	}, func(origin string) bool { _, isTwin := twins[origin]; return !isTwin })
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("SpamAssassin, replay with %.0f%% twins", 100*twinShare)
	return []robustRow{rowOf(name, fmt.Sprintf("errors on real messages, %d draws", draws), errors, screen.Grouped)}, nil
}

// replayFlips replays SpamAssassin with some wrong labels, and counts errors by the right ones.
func (b protocolTest) replayFlips(models []string) ([]robustRow, error) {
	mail, err := b.inOrder()
	if err != nil {
		return nil, err
	}
	errors, err := b.errorsOfDraws(mail, models, func(members []train.Member, draw uint64) []train.Member {
		return flipped(members, twinShare, draw)
	}, func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("SpamAssassin, replay with %.0f%% of the labels inverted", 100*twinShare)
	return []robustRow{rowOf(name, fmt.Sprintf("errors, %d draws", draws), errors, screen.Grouped)}, nil
}

// errorsOfDraws replays the mail of each draw, and returns the total errors of each model on the counted messages, by their
// original labels.
func (b protocolTest) errorsOfDraws(mail *train.Mail, models []string,
	change func(members []train.Member, draw uint64) []train.Member, counts func(origin string) bool) ([]int, error) {
	truth := make(map[string]string)
	for _, m := range mail.Members() {
		truth[m.Origin] = mail.Classes[m.Label]
	}
	replays, err := inParallel(draws*len(models), func(i int) (int, error) {
		changed, err := mail.Select(change(mail.Members(), uint64(i/len(models)+1)))
		if err != nil {
			return 0, err
		}
		r, err := evaluate.ReplayTo(b.ctx, models[i%len(models)], changed, b.replayOptions())
		if err != nil {
			return 0, err
		}
		errors := 0
		for _, m := range r.Messages {
			if counts(m.Path) && m.Class != truth[m.Path] {
				errors++
			}
		}
		return errors, nil
	})
	if err != nil {
		return nil, err
	}
	errors := make([]int, len(models))
	for i, n := range replays {
		errors[i%len(models)] += n
	}
	return errors, nil
}

// memory is a message in memory.
type memory []byte

// Append appends the message to dst.
func (m memory) Append(dst []byte) ([]byte, error) { return append(dst, m...), nil }

// withTwins returns a source in which the twins of every draw follow their originals. It also maps the origin of each twin to
// its draw.
func withTwins(letters []letter) (source corpus.Source, twins map[string]uint64) {
	after := make([][]corpus.Item, len(letters))
	twins = make(map[string]uint64)
	for draw := uint64(1); draw <= draws; draw++ {
		random := rand.New(rand.NewPCG(draw, twinSeed))
		var chosen []int
		for i := range letters {
			if random.Float64() < twinShare {
				chosen = append(chosen, i)
			}
		}
		words := make([][]string, len(chosen))
		for n, i := range chosen {
			words[n] = wordsIn(letters[i].raw)
		}
		for n, i := range chosen {
			twin := corpus.Item{
				Origin:  fmt.Sprintf("%s, twin %d", letters[i].origin, draw),
				Label:   otherClass(letters[i].label),
				Content: memory(exchange(letters[i].raw, wordsOfOthers(words, n), random)),
			}
			twins[twin.Origin] = draw
			after[i] = append(after[i], twin)
		}
	}
	return func(yield func(corpus.Item, error) bool) {
		for i, l := range letters {
			for _, item := range append([]corpus.Item{{Origin: l.origin, Label: l.label, Content: memory(l.raw)}}, after[i]...) {
				if !yield(item, nil) {
					return
				}
			}
		}
	}, twins
}

// wordsOfOthers returns the words of all messages but one.
func wordsOfOthers(words [][]string, one int) []string {
	return slices.Concat(slices.Delete(slices.Clone(words), one, one+1)...)
}

func otherClass(label string) string { return classes()[1-slices.Index(classes(), label)] }

// exchange returns a message with a share of its words exchanged, at least one.
func exchange(raw []byte, others []string, random *rand.Rand) []byte {
	words := wordSpans(raw)
	if len(words) == 0 || len(others) == 0 {
		return raw
	}
	n := max(1, int(exchanged*float64(len(words))+0.5))
	chosen := random.Perm(len(words))[:n]
	slices.Sort(chosen)
	var changed []byte
	at := 0
	for _, i := range chosen {
		changed = append(append(changed, raw[at:words[i].from]...), others[random.IntN(len(others))]...)
		at = words[i].to
	}
	return append(changed, raw[at:]...)
}

// wordsIn returns the words of a message at [wordSpans].
func wordsIn(raw []byte) []string {
	var words []string
	for _, s := range wordSpans(raw) {
		words = append(words, string(raw[s.from:s.to]))
	}
	return words
}

// span is a range of bytes.
type span struct{ from, to int }

// wordSpans returns the spans of words that can be exchanged safely: two or more ASCII letters between white space or ordinary
// punctuation, outside HTML tags. Text in base64 and attached messages have none, so a twin may be an exact copy.
func wordSpans(raw []byte) []span {
	var words []span
	for _, text := range textSpans(raw, span{0, len(raw)}) {
		words = appendWords(words, raw, text)
	}
	return words
}

// textSpans returns the spans of text in an entity.
func textSpans(raw []byte, entity span) []span {
	fields, body := headerFields(raw[entity.from:entity.to])
	body += entity.from
	kind, parameters, err := mime.ParseMediaType(fieldValue(fields, "content-type"))
	boundary := parameters["boundary"]
	switch {
	case err == nil && strings.HasPrefix(kind, "multipart/") && boundary != "":
		var texts []span
		for _, part := range partSpans(raw, span{body, entity.to}, boundary) {
			texts = append(texts, textSpans(raw, part)...)
		}
		return texts
	case err == nil && !strings.HasPrefix(kind, "text/"), strings.EqualFold(fieldValue(fields, "content-transfer-encoding"), "base64"):
		return nil
	}
	return []span{{body, entity.to}}
}

// partSpans returns the spans of the parts of a multipart body.
func partSpans(raw []byte, body span, boundary string) []span {
	var parts []span
	from := -1 // of the part that is open
	for at := body.from; at < body.to; {
		line := raw[at:body.to]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		if rest, divides := bytes.CutPrefix(line, []byte("--"+boundary)); divides {
			if from >= 0 {
				parts = append(parts, span{from, at})
			}
			from = at + len(line)
			if bytes.HasPrefix(rest, []byte("--")) {
				return parts
			}
		}
		at += len(line)
	}
	if from >= 0 {
		parts = append(parts, span{from, body.to})
	}
	return parts
}

// appendWords appends the spans of the words of a text.
func appendWords(dst []span, raw []byte, text span) []span {
	inTag := false
	for at := text.from; at < text.to; {
		if inTag = inTag || beginsTag(raw[at:text.to]); inTag || isSpace(raw[at]) {
			inTag = inTag && raw[at] != '>'
			at++
			continue
		}
		end := at + 1
		for end < text.to && !isSpace(raw[end]) && raw[end] != '<' {
			end++
		}
		word := span{at, end}
		for word.from < word.to && strings.IndexByte(`"'(<>`, raw[word.from]) >= 0 {
			word.from++
		}
		for word.to > word.from && strings.IndexByte(`"').,;:!?`, raw[word.to-1]) >= 0 {
			word.to--
		}
		if word.to-word.from >= 2 && isLetters(raw[word.from:word.to]) {
			dst = append(dst, word)
		}
		at = end
	}
	return dst
}

// beginsTag reports whether text begins with something like an HTML tag.
func beginsTag(text []byte) bool {
	return len(text) > 1 && text[0] == '<' && (text[1] == '/' || text[1] == '!' || isLetters(text[1:2]))
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// isLetters reports whether text consists of ASCII letters.
func isLetters(text []byte) bool {
	return !bytes.ContainsFunc(text, func(c rune) bool { return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') })
}
