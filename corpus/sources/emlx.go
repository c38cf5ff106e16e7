package sources

import (
	"bytes"

	"chaff/corpus/internal/lines"
)

// cutEmlx returns, in place, the message in a file of Apple Mail. The file begins with the length of the message on a line
// of its own and ends with a property list:
//
//	1234
//	Received: ...
//	...
//	<?xml version="1.0" encoding="UTF-8"?>
//	<!DOCTYPE plist ...
//
// A file without that line is the message itself. A file shorter than its length says is returned to its end.
func cutEmlx(file []byte) []byte {
	end := lines.LineEnd(file)
	n, ok := emlxLength(lines.TrimLineEnd(file[:end]))
	if !ok {
		return file
	}
	rest := file[end:]
	return file[:copy(file, rest[:min(n, int64(len(rest)))])]
}

// emlxLength returns the number in the first line of a file of Apple Mail, which is padded with blanks.
func emlxLength(line []byte) (int64, bool) {
	return contentLength(bytes.Trim(line, " \t"))
}
