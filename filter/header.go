package filter

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Passed returns the message with the verdict v in its header, for mail systems that sort by header fields. It removes incoming
// X-Spam-* and X-Chaff-* fields, so that nobody can send a verdict of their own (strip.go). The new fields come first, behind a
// "From " line if there is one, with the line ends of the message. Every other byte stays as it is. The fields are
//
//	X-Spam-Flag: YES or NO
//	X-Spam-Status: Yes or No, score=SCORE required=THRESHOLD
//	X-Chaff-Verdict: ham, unsure or spam, or the name of a class
//	X-Chaff-Score: SCORE
//	X-Chaff-Probability: PROBABILITY
//	X-Chaff-Term: CONTRIBUTION TERM, for each of the given terms
//
// Only spam filters write the first two. Rules made for SpamAssassin match them.
func (f *Filter) Passed(raw []byte, v Classification, terms ...Contribution) []byte {
	var own strings.Builder
	if IsSpamFilter(f.settings.Classes) {
		flag, status := "NO", "No"
		if v.Verdict == Spam {
			flag, status = "YES", "Yes"
		}
		fmt.Fprintf(&own, "X-Spam-Flag: %s\n", flag)
		fmt.Fprintf(&own, "X-Spam-Status: %s, score=%.2f required=%.2f\n", status, v.Score, f.settings.Thresholds.Spam)
	}
	fmt.Fprintf(&own, "X-Chaff-Verdict: %s\n", headerText(string(v.Verdict)))
	fmt.Fprintf(&own, "X-Chaff-Score: %.4f\n", v.Score)
	fmt.Fprintf(&own, "X-Chaff-Probability: %.6f\n", v.Probability)
	for _, t := range terms {
		fmt.Fprintf(&own, "X-Chaff-Term: %+.4f %s\n", t.Contribution, headerTerm(t.Term))
	}
	out, _ := withFields(raw, own.String())
	return out
}

// Unjudged does for a message without a verdict, or for its beginning, what [Filter.Passed] does for one with a verdict. The only
// field it writes is
//
//	X-Chaff-Unjudged: WHY
//
// Result ended reports whether the header has ended for every program that may read the message. If it has, no program finds a verdict
// in what follows.
func Unjudged(raw []byte, why string) (out []byte, ended bool) {
	return withFields(raw, "X-Chaff-Unjudged: "+headerText(why)+"\n")
}

// spacer is the last of our fields before a message that begins with a blank. Without it, the message would continue a verdict.
const spacer = "X-Chaff-Message:"

// withFields replaces the verdict fields of raw by the given ones, lines that end in LF. It also reports whether the header has ended
// for every program.
func withFields(raw []byte, fields string) (out []byte, ended bool) {
	first := fromLine(raw)
	maxGrowth := len(fields) + strings.Count(fields, "\n") + len(spacer) + len("\r\n")
	out = append(make([]byte, 0, len(raw)+maxGrowth), raw[:first]...)
	out = appendOthers(out, raw[first:])
	rest := out[first:]
	crlf := endsInCRLF(out)
	end, ended := headerEnd(rest, crlf)
	disown(rest[:end])
	if mayContinue(rest) { // as it comes out
		fields += spacer + "\n"
	}
	if crlf {
		fields = strings.ReplaceAll(fields, "\n", "\r\n")
	}
	return slices.Insert(out, first, []byte(fields)...), ended
}

// endsInCRLF reports whether the first line end of raw is CR LF.
func endsInCRLF(raw []byte) bool {
	i := bytes.IndexByte(raw, '\n')
	return i > 0 && raw[i-1] == '\r'
}

// isEmptyLine reports whether b begins with a line that is empty for every program.
func isEmptyLine(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\n")) || bytes.HasPrefix(b, []byte("\r\n"))
}

// fromLine returns the length of the From_ line at the start of raw, or 0. Only a plain line counts: it comes before our fields, and must
// neither hide them nor contain a field.
func fromLine(raw []byte) int {
	if !bytes.HasPrefix(raw, []byte("From ")) && !bytes.HasPrefix(raw, []byte(">From ")) {
		return 0
	}
	if text, n := plainLine(raw); text != nil && n < longLine {
		return n
	}
	return 0
}

// headerText replaces control characters, so that the name of a folder cannot break the header.
func headerText(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name)
}

// headerTerm quotes a term in one line of ASCII.
func headerTerm(term string) string {
	quoted := strconv.QuoteToASCII(term)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
