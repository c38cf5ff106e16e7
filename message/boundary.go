package message

import "bytes"

// boundary is the boundary of a multipart that is being read.
type boundary struct {
	text  []byte // as declared, without the two hyphens
	depth int    // of the multipart's parts
	inner []byte // media type of parts that declare none
}

// boundaryLine is where a line with an open boundary is.
type boundaryLine struct {
	start   int  // of the line end before it, which belongs to it
	end     int  // of the line, after its line end
	level   int  // index of the boundary, -1 for the end of the data
	closing bool // it ends the multipart
}

// findBoundary finds the first line with one of the open boundaries, the innermost if it matches several.
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

// otherBoundary returns what the lines of a multipart may hold in place of the boundary that it declares, or nil.
//
// QUIRK: a line has two hyphens before the boundary as it is declared. Some programs declare it with these hyphens
// (boundary-hyphens.eml), with quotes that do not count, since they are the wrong ones or only one
// (boundary-quotes.eml), or with a comment after it.
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
