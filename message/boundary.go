package message

import "bytes"

// boundary is the boundary of an open multipart.
type boundary struct {
	text  []byte // as declared, without the two hyphens
	depth int    // of the multipart's parts
	inner []byte // the default type of the parts
}

// boundaryLine is a line with an open boundary.
type boundaryLine struct {
	start   int  // the offset of the line end before it, which belongs to it
	end     int  // the offset after its line end
	level   int  // the index of the boundary, -1 at the end of the data
	closing bool // it ends the multipart
}

// findBoundary returns the first line with an open boundary, the innermost if several match.
func findBoundary(data []byte, open []boundary) boundaryLine {
	for at := 0; len(open) > 0; {
		if !bytes.HasPrefix(data[at:], []byte("--")) {
			next := bytes.Index(data[at:], []byte("\n--"))
			if next < 0 {
				break
			}
			at += next + 1
		}
		line, rest := cutLine(data[at:])
		hit := boundaryLine{start: max(at-1, 0), end: len(data) - len(rest)}
		line = bytes.TrimRight(line[2:], " \t")
		for hit.level = len(open) - 1; hit.level >= 0; hit.level-- {
			after, ok := bytes.CutPrefix(line, open[hit.level].text)
			if ok && (len(after) == 0 || string(after) == "--") {
				hit.closing = len(after) > 0
				return hit
			}
		}
		at = hit.end
	}
	return boundaryLine{start: len(data), end: len(data), level: -1}
}

// otherBoundary returns what the lines of a multipart may contain instead of the declared boundary, or nil.
//
// QUIRK: a line is two hyphens and the declared boundary. Some programs declare it with the hyphens (boundary-hyphens.eml),
// with wrong or single quotes (boundary-quotes.eml), or with a comment.
func otherBoundary(text []byte) []byte {
	if other, ok := bytes.CutPrefix(text, []byte("--")); ok {
		return other
	}
	if other := bytes.Trim(text, `'"`); len(other) < len(text) {
		return other
	}
	if comment := bytes.Index(text, []byte(" (")); comment > 0 {
		return text[:comment]
	}
	return nil
}
