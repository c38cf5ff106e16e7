package message_test

import (
	"encoding/base64"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"
)

// fault is one way in which mail is broken. It is applied to good mail with LF as its line end.
type fault struct {
	name  string
	apply func(raw string) string // raw itself if the fault cannot be in it
	// remains is good mail that holds the words which the fault cannot but leave; nil if it leaves all.
	remains func(raw string) string
}

var (
	charsetParam  = regexp.MustCompile(`(?i);\s*charset="?([a-z0-9_-]+)"?`)
	quotedParam   = regexp.MustCompile(`(?i)boundary="([^"\n]+)"`)
	unquotedParam = regexp.MustCompile(`(?i)boundary="?([^";\n]+)"?`)
	escape        = regexp.MustCompile(`=[0-9A-F]{2}`)
)

func faults() []fault {
	return append(append(append(wholeFaults(), headerFaults()...), structureFaults()...), contentFaults()...)
}

// wholeFaults returns those that are made to the message as a whole.
func wholeFaults() []fault {
	lineEnd := func(end string) func(string) string {
		return func(raw string) string { return strings.ReplaceAll(raw, "\n", end) }
	}
	lead := func(text string) func(string) string {
		return func(raw string) string { return text + raw }
	}
	return []fault{
		{name: "lines end in CR LF", apply: lineEnd("\r\n")},
		{name: "lines end in CR CR LF", apply: lineEnd("\r\r\n")},
		{name: "lines end in a bare CR", apply: lineEnd("\r")},
		{name: "the header ends its lines in CR LF, the body in LF", apply: func(raw string) string {
			header, body := cutHeader(raw)
			return strings.ReplaceAll(header+"\n", "\n", "\r\n") + body
		}},
		{name: "an mbox line leads", apply: lead("From ann@example.org Thu Aug 22 12:36:23 2002\n")},
		{name: "a quoted mbox line leads", apply: lead(">From ann@example.org Thu Aug 22 12:36:23 2002\n")},
		{name: "a byte order mark leads", apply: lead("\ufeff")},
		{name: "the last line has no end", apply: func(raw string) string { return strings.TrimSuffix(raw, "\n") }},
		{name: "the last tenth is cut off", apply: func(raw string) string { return raw[:len(raw)*9/10] }, remains: cutCleanly},
		{name: "NUL stands between words", apply: inPlainText(func(text string) string {
			return strings.ReplaceAll(text, " ", " \x00")
		})},
		{name: "NUL stands within words", apply: inPlainText(func(text string) string {
			return strings.ReplaceAll(text, "e", "e\x00")
		})},
		{name: "no MIME-Version is given", apply: func(raw string) string {
			return regexp.MustCompile(`(?im)^mime-version:.*\n`).ReplaceAllString(raw, "")
		}},
	}
}

// inPlainText returns a function that changes the text parts of a message that are not encoded.
func inPlainText(change func(string) string) func(string) string {
	return func(raw string) string {
		return changeEntities(raw, func(header, body string) (string, string) {
			if isTextEntity(header) && isPlainEncoding(encodingOf(header)) {
				body = change(body)
			}
			return header, body
		})
	}
}

// cutCleanly returns a message without its last tenth as a careful hand would cut it: behind a line, outside of an
// escape, and with closing boundaries. A word that was cut in two is no more.
func cutCleanly(raw string) string {
	cut := raw[:len(raw)*9/10]
	cut = strings.TrimSuffix(cut[:strings.LastIndexByte(cut, '\n')+1], "=\n") + "\n"
	_, closing := boundaryLines(cut)
	for line := range closing {
		if !strings.Contains(cut, "\n"+line+"\n") {
			cut += line + "\n"
		}
	}
	return cut
}

// headerFaults returns those that are made to the header of the message.
func headerFaults() []fault {
	inHeader := func(change func(header string) string) func(string) string {
		return func(raw string) string {
			header, body := cutHeader(raw)
			return change(header) + "\n" + body
		}
	}
	return []fault{
		{name: "no empty line follows the header", apply: func(raw string) string {
			header, body := cutHeader(raw)
			return header + body
		}},
		{name: "a line without a colon stands in the header", apply: inHeader(func(header string) string {
			return strings.Replace(header, "\nSubject:", "\nthis line has lost its way\nSubject:", 1)
		})},
		{name: "a line with a blank before its colon stands in the header", apply: inHeader(func(header string) string {
			return strings.Replace(header, "\nSubject:", "\nby way of: a gateway\nSubject:", 1)
		})},
		{name: "the blank that goes on with a field is lost", apply: inHeader(func(header string) string {
			return regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(header, "")
		})},
		{name: "a field is folded by a line of blanks", apply: inHeader(func(header string) string {
			return strings.ReplaceAll(header, ", ", ",\n \t\n ")
		})},
		{name: "fields are folded at each blank", apply: inHeader(func(header string) string {
			return regexp.MustCompile(`(\S) (\S)`).ReplaceAllString(header, "$1\n\t$2")
		})},
		{name: "names of fields have a blank behind them", apply: inHeader(func(header string) string {
			return fieldName.ReplaceAllStringFunc(header, func(name string) string { return name[:len(name)-1] + " :" })
		})},
		{name: "values of fields have no blank before them", apply: inHeader(func(header string) string {
			return strings.ReplaceAll(header, ": ", ":")
		})},
		{name: "names of fields are in capitals", apply: func(raw string) string {
			return changeHeaders(raw, func(header string) string { return fieldName.ReplaceAllStringFunc(header, strings.ToUpper) })
		}},
		{name: "each field is there twice", apply: inHeader(func(header string) string { return header + header })},
		{name: "the subject is 8-bit text", apply: inSubject(func(text string) string { return text })},
		{name: "encoded words split characters", apply: inSubject(func(text string) string {
			var words []string
			for chunk := range strings.Lines(inLines(text, 10)) {
				encoded := base64.StdEncoding.EncodeToString([]byte(strings.TrimSuffix(chunk, "\n")))
				words = append(words, "=?utf-8?b?"+encoded+"?=")
			}
			return strings.Join(words, "\n ")
		})},
		{name: "encoded words hold blanks", apply: inSubject(func(text string) string {
			return strings.ReplaceAll(mime.QEncoding.Encode("utf-8", text), "_", " ")
		})},
		{name: "encoded words stand within quotes", apply: inSubject(func(text string) string {
			return `"` + mime.BEncoding.Encode("utf-8", text) + `"`
		})},
		{name: "encoded words are joined without a blank", apply: inSubject(func(text string) string {
			return strings.ReplaceAll(mime.BEncoding.Encode("utf-8", text), "?= =?", "?==?")
		})},
		{name: "the padding of encoded words is lost", apply: inSubject(func(text string) string {
			return strings.ReplaceAll(mime.BEncoding.Encode("utf-8", text), "=?=", "?=")
		})},
	}
}

// inSubject returns a function that writes the subject of a message anew, if it holds more than ASCII.
func inSubject(write func(text string) string) func(string) string {
	return func(raw string) string {
		header, body := cutHeader(raw)
		value := strings.ReplaceAll(valueOf(header, "subject"), "\n", "")
		text, err := new(mime.WordDecoder).DecodeHeader(value)
		if err != nil || !utf8.ValidString(text) || len(text) == utf8.RuneCountInString(text) {
			return raw
		}
		return withField(header, "Subject", write(text)) + "\n" + body
	}
}
