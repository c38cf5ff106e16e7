// Package screen prints untrusted text: names of files and classes, header fields, terms, settings, and errors about them.
//
// Anyone who names a file or writes a message chooses these bytes, and a terminal obeys some: escape sequences move its
// cursor, a newline begins a line that looks like ours, marks of direction reverse text. This package therefore escapes
// everything that goes into a line of output, for stdout and stderr alike. A test of package archtest requires the programs
// to use it.
package screen

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable returns text on one line, with everything that may control a terminal or has no width escaped as in a Go string:
// \n, \x1b, \u202e. Letters, signs and spaces of any script stay, such as the ideographic space. A byte that is not UTF-8 becomes \xff, and
// a backslash becomes two, so that [Original] can restore the text. All other text stays unchanged.
func Printable(text string) string { return printable(text, "") }

// printable is Printable without escapes for the characters kept.
func printable(text, kept string) string {
	for _, r := range text {
		if (r < ' ' || r > '~' || r == '\\') && (r == utf8.RuneError || isEscaped(r, kept)) {
			return string(appendPrintable(make([]byte, 0, len(text)+len(text)/2), text, kept))
		}
	}
	return text
}

func appendPrintable(out []byte, text, kept string) []byte {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			out = fmt.Appendf(out, `\x%02x`, text[i])
		case isEscaped(r, kept):
			quoted := strconv.QuoteRune(r)
			out = append(out, quoted[1:len(quoted)-1]...)
		default:
			out = append(out, text[i:i+size]...)
		}
		i += size
	}
	return out
}

func isEscaped(r rune, kept string) bool {
	return (r == '\\' || !isShown(r)) && !strings.ContainsRune(kept, r)
}

// isShown reports whether a terminal shows a character as itself: all that Go takes for printable, and the spaces of all scripts.
func isShown(r rune) bool { return strconv.IsPrint(r) || unicode.Is(unicode.Zs, r) }

// Original returns the text from which Printable made printable. A backslash that begins no escape stands for itself, since
// users type such text too.
func Original(printable string) string {
	var out []byte
	for rest := printable; rest != ""; {
		if rest[0] == '\\' {
			if r, multibyte, tail, err := strconv.UnquoteChar(rest, 0); err == nil {
				if multibyte {
					out = utf8.AppendRune(out, r)
				} else {
					out = append(out, byte(r))
				}
				rest = tail
				continue
			}
		}
		out, rest = append(out, rest[0]), rest[1:]
	}
	return string(out)
}

// Print writes Printable(text) in pieces, so that its memory does not grow with the text.
func Print(w io.Writer, text []byte) error {
	var out []byte
	for len(text) > 0 {
		end := min(len(text), 4096)
		for back := 1; back < utf8.UTFMax && end < len(text) && !utf8.RuneStart(text[end]); back++ {
			end--
		}
		out = appendPrintable(out[:0], string(text[:end]), "")
		if _, err := w.Write(out); err != nil {
			return err
		}
		text = text[end:]
	}
	return nil
}

// Printf formats and writes, with all texts, errors and other values made printable. The format itself is trusted. Errors
// already quote the names in them, so their backslashes stay. Whole numbers are as in [Sprintf].
func Printf(w io.Writer, format string, args ...any) (int, error) {
	for i, arg := range args {
		text, isText := arg.(string)
		switch arg.(type) {
		case int, uint32, bool, int64, uint64, float64: // nothing to escape
			args[i] = counted(arg)
		default:
			if !isText || Printable(text) != text { // fmt formats a text faster than an untrusted value
				args[i] = untrusted{arg}
			}
		}
	}
	return fmt.Fprintf(w, format, args...)
}

// Text formats as [Printf] does.
func Text(format string, args ...any) string {
	var text strings.Builder
	Printf(&text, format, args...)
	return text.String()
}

// Quoted is text that already escapes the untrusted parts. Printf keeps its backslashes.
type Quoted string

// Lines writes text that quotes its untrusted parts, such as TOML or the help of a library. It keeps lines, tabs and backslashes
// and makes all else printable. Each write must end between two characters.
type Lines struct{ To io.Writer }

func (l Lines) Write(text []byte) (int, error) {
	if _, err := io.WriteString(l.To, printable(string(text), "\\\n\t")); err != nil {
		return 0, err
	}
	return len(text), nil
}

// quoted returns Printable(text) with the backslashes of text kept.
func quoted(text string) string { return printable(text, `\`) }

// untrusted is a value that is made printable when it is formatted.
type untrusted struct{ value any }

// Format makes a text printable before it is padded, and any other value afterwards. The result of %q is printable already.
func (f untrusted) Format(s fmt.State, verb rune) {
	format, text := fmt.FormatString(s, verb), ""
	isText := verb == 's' || verb == 'v'
	switch value := f.value.(type) {
	case string:
		text = Printable(value)
	case error:
		text = quoted(value.Error())
	case Quoted:
		text = quoted(string(value))
	default:
		isText = false
	}
	if isText {
		fmt.Fprintf(s, format, text)
		return
	}
	text = fmt.Sprintf(format, f.value)
	if verb != 'q' || s.Flag('#') {
		text = Printable(text)
	}
	io.WriteString(s, text)
}

// PrintJSON writes a value as one JSON document, on one line or, with indent, on several. It escapes what may control a
// terminal, which is equivalent JSON. Bytes that are not UTF-8 become U+FFFD, since JSON cannot represent them.
func PrintJSON(w io.Writer, value any, indent string) error {
	e := json.NewEncoder(JSON{w})
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	return e.Encode(value)
}

// JSON writes JSON documents, and escapes every character that is not printable. Outside of strings these are only line ends. Each write must end
// between two characters.
type JSON struct{ To io.Writer }

func (j JSON) Write(document []byte) (int, error) {
	written := 0
	for i := 0; i < len(document); {
		r, size := utf8.DecodeRune(document[i:])
		i += size
		if r == '\n' || isShown(r) {
			continue
		}
		if _, err := j.To.Write(document[written : i-size]); err != nil {
			return written, err
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			if _, err := fmt.Fprintf(j.To, `\u%04x`, unit); err != nil {
				return written, err
			}
		}
		written = i
	}
	_, err := j.To.Write(document[written:])
	return len(document), err
}

// Figure formats a measured number with three significant digits, or all digits of its integral part.
func Figure(v float64) string {
	size := math.Abs(v)
	switch {
	case v == 0:
		return "0"
	case size >= 1e6 || size < 1e-4:
		return fmt.Sprintf("%.1e", v)
	case size >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
