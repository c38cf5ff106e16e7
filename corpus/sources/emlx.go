package sources

import (
	"bytes"

	"chaff/corpus/internal/lines"
)

// cutEmlx returns the message in a file of Apple Mail, which begins with the number
// of its bytes on a line of its own and ends with a property list, in place:
//
//	1234
//	Received: ...
//	...
//	<?xml version="1.0" encoding="UTF-8"?>
//	<!DOCTYPE plist ...
//
// A file without that line is the message itself; one that is shorter than it says
// is cut nowhere.
func cutEmlx(file []byte) []byte {
	end := lines.LineEnd(file)
	n, ok := emlxLength(lines.TrimLineEnd(file[:end]))
	if !ok {
		return file
	}
	rest := file[end:]
	return file[:copy(file, rest[:min(n, int64(len(rest)))])]
}

// emlxLength reads the first line of a file of Apple Mail, a number that is filled
// up with blanks.
func emlxLength(line []byte) (int64, bool) {
	return contentLength(bytes.Trim(line, " \t"))
}
