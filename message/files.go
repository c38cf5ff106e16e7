package message

import (
	"bytes"
	"slices"
)

// inlineFile is a file inside of a plain text.
type inlineFile struct {
	name    []byte
	content []byte
	decoded bool // the content is known
}

// takeFiles returns text without the files in it, which it moves to d.inlineFiles. It looks for yEnc if text is binary.
//
// QUIRK: a file is a part with a type. Before MIME, and long after, programs wrote it into the text, as uuencode
// (uuencode.eml) or yEnc (yenc.eml).
func (d *Decoder) takeFiles(text []byte, binary bool) []byte {
	text = d.take(text, d.uuFile)
	if binary && bytes.Contains(text, []byte("=ybegin ")) {
		text = d.take(text, d.yencFile)
	}
	return text
}

// take returns text without the files that find finds. Find keeps the next file and returns where it starts and ends.
func (d *Decoder) take(text []byte, find func([]byte) (from, to int, ok bool)) []byte {
	d.textPieces = d.textPieces[:0]
	for {
		from, to, ok := find(text)
		if !ok {
			break
		}
		d.textPieces = append(d.textPieces, text[:from])
		text = text[to:]
		if len(d.msg.Parts)+len(d.inlineFiles) >= d.options.MaxParts {
			d.repairs.add(CutParts)
			text = nil
		}
	}
	if len(d.textPieces) == 0 {
		return text
	}
	start := len(d.arena)
	for _, piece := range d.textPieces {
		d.arena = append(d.arena, piece...)
	}
	d.arena = append(d.arena, text...)
	return d.made(start)
}

// uuFile keeps the first uuencoded file in text.
func (d *Decoder) uuFile(text []byte) (from, to int, ok bool) {
	from, lines, name, ok := findUUBegin(text)
	if !ok {
		return 0, 0, false
	}
	start := len(d.arena)
	var rest []byte
	var whole bool
	d.arena, rest, whole = appendUU(d.arena, text[lines:])
	if !whole {
		d.repairs.add(BadUUencode)
	}
	file := inlineFile{name, d.made(start), true}
	if !file.isText() { // drop the content
		file, d.arena = inlineFile{name: name}, d.arena[:start]
	}
	d.inlineFiles = append(d.inlineFiles, file)
	return from, len(text) - len(rest), true
}

// yencFile keeps the first yEnc file in text. It does not decode it: such files contain no words.
//
// QUIRK: it ends with a line "=yend". Truncated mail has lost that line. The file has no empty lines, so an empty line ends
// it, too (yenc-open.eml).
func (d *Decoder) yencFile(text []byte) (from, to int, ok bool) {
	const begin = "\n=ybegin "
	if !bytes.HasPrefix(text, []byte(begin[1:])) {
		if from = bytes.Index(text, []byte(begin)) + 1; from == 0 {
			return 0, 0, false
		}
	}
	line, rest := cutLine(text[from:])
	_, name, _ := bytes.Cut(line, []byte(" name="))
	d.inlineFiles = append(d.inlineFiles, inlineFile{name: bytes.TrimSpace(name)})
	for len(rest) > 0 && rest[0] != '\n' {
		line, rest = cutLine(rest)
		if bytes.HasPrefix(line, []byte("=yend")) {
			return from, len(text) - len(rest), true
		}
	}
	d.repairs.add(BadYEnc)
	return from, len(text) - len(rest), true
}

// addFile adds a part for a file inside of a text in that charset.
func (d *Decoder) addFile(file inlineFile, charset []byte) {
	if !d.hasRoom() {
		return
	}
	part := Part{Type: d.typeFile, Filename: d.decodeWords(file.name, charset), Attachment: true}
	f := formatOf(file.content[:min(len(file.content), sniffBytes)], file.name, nil)
	if f == formatUnknown && file.isText() {
		f = formatText
	}
	switch f {
	case formatText:
		part.Type = d.typePlain
	case formatHTML:
		part.Type = d.typeHTML
	}
	d.showContent(&part, f, file.content, charset)
	d.msg.Parts = append(d.msg.Parts, part)
}

// isText reports whether a file begins like text: without control characters, and not like PDF, PostScript or RTF.
func (b inlineFile) isText() bool {
	const enough = 512
	if slices.ContainsFunc(b.content[:min(len(b.content), enough)], isControl) {
		return false
	}
	for _, start := range []string{"%PDF", "%!PS", `{\rtf`} {
		if bytes.HasPrefix(b.content, []byte(start)) {
			return false
		}
	}
	return b.decoded
}
