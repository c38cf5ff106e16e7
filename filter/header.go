package filter

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Passed returns the message again with the verdict v in its header, for mail systems that sort by header fields. All
// X-Spam-* and X-Chaff-* fields that came in are taken out, so that nobody can send their own verdict, see strip.go; ours
// are put in front of the others, behind a "From " line if there is one, with the line ends of the message. Every other byte is
// kept. The fields are
//
//	X-Spam-Flag: YES or NO
//	X-Spam-Status: Yes or No, score=SCORE required=THRESHOLD
//	X-Chaff-Verdict: ham, unsure or spam, or the name of a class
//	X-Chaff-Score: SCORE
//	X-Chaff-Probability: PROBABILITY
//
//	X-Chaff-Term: CONTRIBUTION TERM, for each of the terms given
//
// The first two are written by spam filters only, in the form that rules for SpamAssassin match.
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

// Unjudged returns a message that nobody judged, or the beginning of one, as [Filter.Passed] does one that was. Its only field is
//
//	X-Chaff-Unjudged: WHY
//
// Ended reports whether the header has ended for every program that may read the message: in what comes after, none finds a verdict.
func Unjudged(raw []byte, why string) (out []byte, ended bool) {
	return withFields(raw, "X-Chaff-Unjudged: "+headerText(why)+"\n")
}

// spacer is the name of the field that stands last of ours before a message which begins with a blank, and so would go on with the
// field before it.
const spacer = "X-Chaff-Message:"

// withFields returns raw with our fields, lines that end in LF, instead of those of the same kind that it had, and whether its
// header has ended in all readings.
func withFields(raw []byte, fields string) (out []byte, ended bool) {
	first := fromLine(raw)
	most := len(fields) + strings.Count(fields, "\n") + len(spacer) + len("\r\n")
	out = append(make([]byte, 0, len(raw)+most), raw[:first]...)
	out = appendOthers(out, raw[first:])
	rest := out[first:]
	if goesOn(rest) {
		fields += spacer + "\n"
	}
	crlf := endsInCRLF(out)
	if crlf {
		fields = strings.ReplaceAll(fields, "\n", "\r\n")
	}
	end, ended := headerEnd(rest, crlf)
	disown(rest[:end])
	return slices.Insert(out, first, []byte(fields)...), ended
}

// endsInCRLF reports whether the first line of raw that ends in LF ends in CR LF.
func endsInCRLF(raw []byte) bool {
	i := bytes.IndexByte(raw, '\n')
	return i > 0 && raw[i-1] == '\r'
}

// isEmptyLine reports whether b begins with a line that is empty for everybody.
func isEmptyLine(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\n")) || bytes.HasPrefix(b, []byte("\r\n"))
}

// fromLine returns the length of the first line of raw, with its end, if it is that of a message in an mbox. Only a plain line is:
// what stands in front of our fields must hide neither them nor a field of its own.
func fromLine(raw []byte) int {
	if !bytes.HasPrefix(raw, []byte("From ")) && !bytes.HasPrefix(raw, []byte(">From ")) {
		return 0
	}
	if text, n := plainLine(raw); text != nil && n < longLine {
		return n
	}
	return 0
}

// headerText keeps the name of a class, which may come from the name of a folder, from breaking a header.
func headerText(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name)
}

// headerTerm writes a term in ASCII and in one line.
func headerTerm(term string) string {
	quoted := strconv.QuoteToASCII(term)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
