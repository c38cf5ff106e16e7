package message_test

import (
	"encoding/base64"
	"mime/quotedprintable"
	"regexp"
	"strings"
)

// The functions in this file take good mail apart, with LF as its line end, and put it together again, so that a fault
// can be put where it belongs.

var (
	boundaryParam = regexp.MustCompile(`(?i)boundary="?([^";\n]+)"?`)
	fieldName     = regexp.MustCompile(`(?m)^[!-9;-~]+:`)
	contentField  = regexp.MustCompile(`(?im)^content-[a-z-]+:.*\n(?:[ \t].*\n)*`)
)

// cutHeader returns the header of an entity, with the line end of its last field, and what is behind the empty line.
func cutHeader(entity string) (header, body string) {
	if strings.HasPrefix(entity, "\n") {
		return "", entity[1:]
	}
	if header, body, ok := strings.Cut(entity, "\n\n"); ok {
		return header + "\n", body
	}
	return strings.TrimSuffix(entity, "\n") + "\n", ""
}

// changeEntities returns a message with the header and body of each entity changed: of the message itself and of all its
// parts. The body of a multipart is what is before its first boundary.
func changeEntities(raw string, change func(header, body string) (string, string)) string {
	open, closing := boundaryLines(raw)
	var out, entity strings.Builder
	between := false // behind the last part of a multipart
	flush := func() {
		text := entity.String()
		entity.Reset()
		if between || text == "" {
			out.WriteString(text)
			return
		}
		header, body := change(cutHeader(text))
		out.WriteString(header + "\n" + body)
	}
	for line := range strings.Lines(raw) {
		bare := strings.TrimSuffix(line, "\n")
		if !open[bare] && !closing[bare] {
			entity.WriteString(line)
			continue
		}
		flush()
		out.WriteString(line)
		between = closing[bare]
	}
	flush()
	return out.String()
}

// boundaryLines returns the lines before the parts of a message and the lines after them.
func boundaryLines(raw string) (open, closing map[string]bool) {
	open, closing = map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(raw) {
		if !strings.Contains(line, "=") || !strings.Contains(strings.ToLower(line), "boundary=") { // the pattern is slow
			continue
		}
		for _, match := range boundaryParam.FindAllStringSubmatch(line, -1) {
			open["--"+match[1]] = true
			closing["--"+match[1]+"--"] = true
		}
	}
	return open, closing
}

// changeHeaders returns a message with the header of each entity changed.
func changeHeaders(raw string, change func(header string) string) string {
	return changeEntities(raw, func(header, body string) (string, string) { return change(header), body })
}

// changeContentFields returns a message with each Content-* field of each entity changed.
func changeContentFields(raw string, change func(field string) string) string {
	return changeHeaders(raw, func(header string) string { return contentField.ReplaceAllStringFunc(header, change) })
}

// fieldAt returns where a header field begins and ends with its continuation lines, and whether there is one.
func fieldAt(header, name string) (from, to int, ok bool) {
	for line := range strings.Lines(header) {
		switch {
		case !ok && len(line) > len(name) && strings.EqualFold(line[:len(name)+1], name+":"):
			from, to, ok = to, to+len(line), true
		case ok && line[0] != ' ' && line[0] != '\t':
			return from, to, ok
		default:
			to += len(line)
		}
	}
	return from, to, ok
}

// valueOf returns the value of a header field as it is written, "" if there is none.
func valueOf(header, name string) string {
	from, to, ok := fieldAt(header, name)
	if !ok {
		return ""
	}
	return strings.TrimSpace(header[from+len(name)+1 : to])
}

// withField returns a header with another value of a field, or with the field at its end.
func withField(header, name, value string) string {
	from, to, ok := fieldAt(header, name)
	if !ok {
		return header + name + ": " + value + "\n"
	}
	return header[:from] + name + ": " + value + "\n" + header[to:]
}

func isTextEntity(header string) bool {
	mediaType := strings.ToLower(valueOf(header, "content-type"))
	return mediaType == "" || strings.HasPrefix(mediaType, "text/")
}

func encodingOf(header string) string {
	return strings.ToLower(valueOf(header, "content-transfer-encoding"))
}

func isPlainEncoding(encoding string) bool {
	return encoding == "" || encoding == "7bit" || encoding == "8bit" || encoding == "binary"
}

// changeBase64 returns a message in which all text is in base64, and that has been changed.
func changeBase64(raw string, change func(encoded string) string) string {
	return changeEncoded(raw, "base64", base64Lines, change)
}

// changeQuotedPrintable returns a message in which all text is quoted-printable, and that has been changed.
func changeQuotedPrintable(raw string, change func(encoded string) string) string {
	return changeEncoded(raw, "quoted-printable", quotedLines, change)
}

// changeEncoded encodes the text parts that are not encoded, and changes what is encoded so.
func changeEncoded(raw, encoding string, encode, change func(string) string) string {
	return changeEntities(raw, func(header, body string) (string, string) {
		if !isTextEntity(header) {
			return header, body
		}
		if isPlainEncoding(encodingOf(header)) {
			header, body = withField(header, "Content-Transfer-Encoding", encoding), encode(body)
		}
		if encodingOf(header) == encoding {
			body = change(body)
		}
		return header, body
	})
}

// base64Lines encodes text in lines of 76 characters.
func base64Lines(text string) string {
	return inLines(base64.StdEncoding.EncodeToString([]byte(text)), 76)
}

func inLines(text string, length int) string {
	var lines strings.Builder
	for len(text) > 0 {
		n := min(length, len(text))
		lines.WriteString(text[:n] + "\n")
		text = text[n:]
	}
	return lines.String()
}

func quotedLines(text string) string {
	var lines strings.Builder
	w := quotedprintable.NewWriter(&lines)
	w.Write([]byte(text)) // a strings.Builder has no errors
	w.Close()
	return strings.ReplaceAll(lines.String(), "\r\n", "\n")
}

// insertEvery returns text with a piece put in behind every n bytes that are no line end.
func insertEvery(text string, n int, piece string) string {
	var out strings.Builder
	count := 0
	for i := range len(text) {
		out.WriteByte(text[i])
		if text[i] == '\n' {
			continue
		}
		if count++; count%n == 0 {
			out.WriteString(piece)
		}
	}
	return out.String()
}
