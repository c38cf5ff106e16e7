package message

import "bytes"

// joinFlowed returns text with the lines joined that "format=flowed; delsp=yes" divided (RFC 3676, section 4): a line ends with a blank and the next
// has as many quote marks. The blank was added, so that a word may go on in the next line.
func (d *Decoder) joinFlowed(text []byte) []byte {
	start := len(d.arena)
	depth, flows := 0, false
	for len(text) > 0 {
		line, rest := cutLine(text)
		ending := text[len(line) : len(text)-len(rest)]
		text = rest
		content := bytes.TrimSuffix(line, []byte("\r"))
		quotes := len(content) - len(bytes.TrimLeft(content, ">"))
		if flows && quotes == depth {
			content = bytes.TrimPrefix(content[quotes:], []byte(" "))
		} else if flows {
			d.arena = append(d.arena, '\n')
		}
		depth, flows = quotes, len(content) > 0 && content[len(content)-1] == ' ' && string(bytes.TrimLeft(content, "> ")) != "-- "
		if flows {
			content, ending = content[:len(content)-1], nil
		}
		d.arena = append(append(d.arena, content...), ending...)
	}
	return d.arena[start:len(d.arena):len(d.arena)]
}
