package message_test

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// structureFaults returns those that are made to the parts of a message and to what their headers say about them.
func structureFaults() []fault {
	inBoundaryLines := func(change func(line string, closing bool) string) func(string) string {
		return func(raw string) string {
			open, closing := boundaryLines(raw)
			var out strings.Builder
			for line := range strings.Lines(raw) {
				if bare := strings.TrimSuffix(line, "\n"); open[bare] || closing[bare] {
					line = change(bare, closing[bare])
				}
				out.WriteString(line)
			}
			return out.String()
		}
	}
	return []fault{
		{name: "the closing boundary is lost", apply: inBoundaryLines(func(line string, closing bool) string {
			if closing {
				return ""
			}
			return line + "\n"
		})},
		{name: "boundaries have blanks behind them", apply: inBoundaryLines(func(line string, _ bool) string {
			return line + " \t\n"
		})},
		{name: "text follows the closing boundary", apply: func(raw string) string {
			if open, _ := boundaryLines(raw); len(open) == 0 {
				return raw
			}
			return raw + "\n--\n-- \nno part of it \x00\xff==\n"
		}},
		{name: "the boundary is declared without quotes", apply: inContentFields(func(field string) string {
			return quotedParam.ReplaceAllString(field, "boundary=$1")
		})},
		{name: "the boundary is declared with an open quote", apply: inContentFields(func(field string) string {
			return unquotedParam.ReplaceAllString(field, `boundary="$1`)
		})},
		{name: "no empty line follows the header of a part", apply: func(raw string) string {
			top, _ := cutHeader(raw)
			return changeEntities(raw, func(header, body string) (string, string) {
				if header == top || header == "" {
					return header, body
				}
				return strings.TrimSuffix(header, "\n"), body
			})
		}},
		{name: "a second Content-Type says otherwise", apply: changeTyped(func(header string) string {
			return header + "Content-Type: application/octet-stream\n"
		})},
		{name: "a second transfer encoding says otherwise", apply: changeTyped(func(header string) string {
			if isPlainEncoding(encodingOf(header)) {
				return header
			}
			return header + "Content-Transfer-Encoding: 7bit\n"
		})},
		{name: "types are in capitals", apply: inContentFields(func(field string) string {
			return regexp.MustCompile(`^[^;]*`).ReplaceAllStringFunc(field, strings.ToUpper)
		})},
		{name: "types have a comment", apply: inContentFields(func(field string) string {
			return strings.Replace(field, ";", " (so they say);", 1)
		})},
		{name: "plain text has no subtype", apply: inContentFields(func(field string) string {
			return strings.Replace(field, "text/plain", "text", 1)
		})},
		{name: "tabs stand for the blanks in parameters", apply: inContentFields(func(field string) string {
			return strings.ReplaceAll(field, "; ", ";\t")
		})},
		{name: "semicolons are doubled", apply: inContentFields(func(field string) string {
			return strings.ReplaceAll(field, ";", ";;")
		})},
		{name: "semicolons are lost", apply: inContentFields(func(field string) string {
			return strings.ReplaceAll(field, ";", "")
		})},
		{name: "blanks stand around the equal sign of parameters", apply: inContentFields(func(field string) string {
			return regexp.MustCompile(`(charset|boundary)=`).ReplaceAllString(field, "$1 = ")
		})},
		{name: "HTML has lost its closing tags", apply: inHTML(func(html string) string {
			return regexp.MustCompile(`(?i)</(a|b|body|center|div|font|html|i|li|p|span|strong|table|td|tr|u|ul)>`).ReplaceAllString(html, "")
		})},
		{name: "HTML has tags that nobody knows", apply: inHTML(func(html string) string {
			return strings.ReplaceAll(html, "<b>", "<qx><b>")
		})},
		{name: "tags of HTML are in capitals", apply: inHTML(func(html string) string {
			return regexp.MustCompile(`</?[a-z]+`).ReplaceAllStringFunc(html, strings.ToUpper)
		})},
		{name: "HTML ends in an open comment", apply: inHTML(func(html string) string { return html + "\n<!-- the end\n" })},
		{name: "HTML ends in an open tag", apply: inHTML(func(html string) string { return html + "\n<a href=\"\n" })},
		{name: "HTML is declared as plain text", apply: func(raw string) string {
			return changeEntities(raw, func(header, body string) (string, string) {
				if strings.Contains(strings.ToLower(body[:min(len(body), 500)]), "<html") {
					header = strings.Replace(header, "text/html", "text/plain", 1)
				}
				return header, body
			})
		}},
	}
}

func inContentFields(change func(field string) string) func(string) string {
	return func(raw string) string { return changeContentFields(raw, change) }
}

// inHTML returns a function that changes the HTML parts of a message that are not encoded.
func inHTML(change func(html string) string) func(string) string {
	return func(raw string) string {
		return changeEntities(raw, func(header, body string) (string, string) {
			if strings.HasPrefix(strings.ToLower(valueOf(header, "content-type")), "text/html") && isPlainEncoding(encodingOf(header)) {
				body = change(body)
			}
			return header, body
		})
	}
}

// changeTyped returns a function that changes the headers that declare a type.
func changeTyped(change func(header string) string) func(string) string {
	return func(raw string) string {
		return changeHeaders(raw, func(header string) string {
			if valueOf(header, "content-type") == "" {
				return header
			}
			return change(header)
		})
	}
}

// contentFaults returns those that are made to the encoding of text.
func contentFaults() []fault {
	inBase64 := func(change func(string) string) func(string) string {
		return func(raw string) string { return changeBase64(raw, change) }
	}
	inQuoted := func(change func(string) string) func(string) string {
		return func(raw string) string { return changeQuotedPrintable(raw, change) }
	}
	inPlain := func(declared string) func(string) string {
		return func(raw string) string {
			return changeHeaders(raw, func(header string) string {
				if !isTextEntity(header) || !isPlainEncoding(encodingOf(header)) {
					return header
				}
				return withField(header, "Content-Transfer-Encoding", declared)
			})
		}
	}
	return []fault{
		{name: "base64 has blanks in its lines", apply: inBase64(func(s string) string { return insertEvery(s, 19, " ") })},
		{name: "base64 has foreign bytes in its lines", apply: inBase64(func(s string) string { return insertEvery(s, 19, "*") })},
		{name: "base64 has 8-bit bytes in its lines", apply: inBase64(func(s string) string { return insertEvery(s, 31, "\xa0") })},
		{name: "base64 has lost its padding", apply: inBase64(func(s string) string { return strings.ReplaceAll(s, "=", "") })},
		{name: "base64 is one long line", apply: inBase64(func(s string) string { return strings.ReplaceAll(s, "\n", "") + "\n" })},
		{name: "base64 is in lines of 75 characters", apply: inBase64(func(s string) string {
			return inLines(strings.ReplaceAll(s, "\n", ""), 75)
		})},
		{name: "base64 has empty lines between its lines", apply: inBase64(func(s string) string {
			return strings.ReplaceAll(s, "\n", "\n\n")
		})},
		{name: "base64 ends in an odd digit", apply: inBase64(func(s string) string { return strings.TrimRight(s, "=\n") + "K\n" })},
		{name: "base64 is in two pieces that were joined", apply: inBase64(func(s string) string {
			text, err := base64.StdEncoding.DecodeString(s)
			if err != nil {
				return s
			}
			half := len(text)/2 + 1
			return base64Lines(string(text[:min(half, len(text))])) + base64Lines(string(text[min(half, len(text)):]))
		})},
		{name: "a mailing list wrote below base64", apply: inBase64(func(s string) string {
			return s + "\n_______________________________________________\nOur mailing list, see https://lists.example/our\n"
		})},
		{name: "text that is declared as base64 is not", apply: inPlain("base64")},
		{name: "soft line ends have blanks behind them", apply: inQuoted(func(s string) string {
			return strings.ReplaceAll(s, "=\n", "= \t\n")
		})},
		{name: "escapes are in small letters", apply: inQuoted(func(s string) string {
			return escape.ReplaceAllStringFunc(s, strings.ToLower)
		})},
		{name: "equal signs stand alone in quoted-printable", apply: inQuoted(func(s string) string {
			return strings.ReplaceAll(s, " ", " = ")
		})},
		{name: "text that is declared as quoted-printable is not", apply: inPlain("quoted-printable")},
		{name: "the transfer encoding is unknown", apply: inPlain("x-unheard-of")},
		{name: "the transfer encoding is in capitals", apply: inEncoded("BASE64")},
		{name: "the transfer encoding has a comment", apply: inEncoded("base64 (MIME)")},
		{name: "the transfer encoding has a semicolon behind it", apply: inEncoded("base64;")},
		{name: "the transfer encoding is in quotes", apply: inEncoded(`"base64"`)},
		{name: "the charset is unknown", apply: inContentFields(func(field string) string {
			return charsetParam.ReplaceAllString(field, "; charset=x-unheard-of")
		})},
		{name: "the charset is misspelt", apply: inContentFields(func(field string) string {
			return charsetParam.ReplaceAllStringFunc(field, func(param string) string {
				return strings.Replace(strings.ReplaceAll(param, "-", ""), "charset", "CharSet", 1)
			})
		})},
		{name: "no charset is declared", apply: inContentFields(func(field string) string {
			return charsetParam.ReplaceAllString(field, "")
		})},
		{name: "the charset is said to be ASCII", apply: inContentFields(func(field string) string {
			return charsetParam.ReplaceAllString(field, "; charset=us-ascii")
		})},
	}
}

// inEncoded returns a function that encodes all text in base64 and declares it in an odd way.
func inEncoded(declared string) func(string) string {
	return func(raw string) string {
		return changeEntities(changeBase64(raw, func(s string) string { return s }), func(header, body string) (string, string) {
			if isTextEntity(header) && encodingOf(header) == "base64" {
				header = withField(header, "Content-Transfer-Encoding", declared)
			}
			return header, body
		})
	}
}
