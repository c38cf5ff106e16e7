package message

import "bytes"

// joinFlowed returns text with the lines joined that "format=flowed; delsp=yes" divided (RFC 3676, section 4): a line ends with a blank and the next
// has as many quote marks. The blank was added, so that a word may go on in the next line.
func (t *texts) joinFlowed(text []byte) []byte {
	start := len(t.arena)
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
			t.arena = append(t.arena, '\n')
		}
		depth, flows = quotes, len(content) > 0 && content[len(content)-1] == ' ' && string(bytes.TrimLeft(content, "> ")) != "-- "
		if flows {
			content, ending = content[:len(content)-1], nil
		}
		t.arena = append(append(t.arena, content...), ending...)
	}
	return t.arena[start:len(t.arena):len(t.arena)]
}
