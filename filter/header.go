package filter

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Passed returns the message again with the verdict v in its header, for mail systems that sort by header fields. All
// X-Spam-* and X-Chaff-* fields that came in are left out, so that nobody can send their own verdict; ours are put in
// front of the others, behind a "From " line if there is one, with the line ends of the message. Every other byte is
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
func (f *Filter) Passed(raw []byte, v Verdict, terms ...Contribution) []byte {
	var own strings.Builder
	if f.isSpamFilter() {
		flag, status := "NO", "No"
		if v.Decision == Spam {
			flag, status = "YES", "Yes"
		}
		fmt.Fprintf(&own, "X-Spam-Flag: %s\n", flag)
		fmt.Fprintf(&own, "X-Spam-Status: %s, score=%.2f required=%.2f\n", status, v.Score, f.settings.Thresholds.Spam)
	}
	fmt.Fprintf(&own, "X-Chaff-Verdict: %s\n", headerText(string(v.Decision)))
	fmt.Fprintf(&own, "X-Chaff-Score: %.4f\n", v.Score)
	fmt.Fprintf(&own, "X-Chaff-Probability: %.6f\n", v.Probability)
	for _, t := range terms {
		fmt.Fprintf(&own, "X-Chaff-Term: %+.4f %s\n", t.Contribution, headerTerm(t.Term))
	}

	fields := own.String()
	first := raw[:lineEnd(raw)]
	if bytes.HasSuffix(first, []byte("\r\n")) {
		fields = strings.ReplaceAll(fields, "\n", "\r\n")
	}
	out := make([]byte, 0, len(raw)+len(fields))
	if isFromLine(first) {
		out = append(out, first...)
		raw = raw[len(first):]
	}
	out = append(out, fields...)
	return appendWithoutVerdicts(out, raw)
}

// isFromLine reports whether a line, with its end, is the first of a message in an mbox. Without an end it is all there
// is of the message, and nothing can stand behind it.
func isFromLine(line []byte) bool {
	starts := bytes.HasPrefix(line, []byte("From ")) || bytes.HasPrefix(line, []byte(">From "))
	return starts && bytes.ContainsAny(line, "\r\n")
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

// appendWithoutVerdicts appends raw without the X-Spam-* and X-Chaff-* fields of its header.
//
// Filters fold their X-Spam-* fields, so the lines that continue these go too. Ours are never folded: a line that
// seems to continue an X-Chaff-* field was the first of a message that starts with a blank, and stays.
func appendWithoutVerdicts(dst, raw []byte) []byte {
	dropping := false // lines that continue the field at hand
	for len(raw) > 0 {
		n := lineEnd(raw)
		line := raw[:n]
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			break // the header ends here
		}
		raw = raw[n:]
		switch continues := line[0] == ' ' || line[0] == '\t'; {
		case continues && dropping:
		case continues:
			dst = append(dst, line...)
		case isField(line, "X-Chaff-"):
			dropping = false
		default:
			if dropping = isField(line, "X-Spam-"); !dropping {
				dst = append(dst, line...)
			}
		}
	}
	return append(dst, raw...)
}

// isField reports whether line is a header field whose name starts with prefix.
func isField(line []byte, prefix string) bool {
	return len(line) >= len(prefix) && bytes.EqualFold(line[:len(prefix)], []byte(prefix)) && bytes.IndexByte(line, ':') > 0
}

// lineEnd returns the length of the first line of b with its line end: LF, CR LF, CR CR LF or, as broken programs
// write, a bare CR.
func lineEnd(b []byte) int {
	i := bytes.IndexAny(b, "\r\n")
	if i < 0 {
		return len(b)
	}
	for _, end := range []string{"\n", "\r\n", "\r\r\n"} {
		if bytes.HasPrefix(b[i:], []byte(end)) {
			return i + len(end)
		}
	}
	return i + 1
}
