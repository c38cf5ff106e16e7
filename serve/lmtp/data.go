package lmtp

import (
	"bufio"
	"bytes"
)

// Where a byte of a message is.
type place int

const (
	lineStart place = iota // behind CR LF, or at the beginning
	inLine
	afterCR
	afterDot   // behind a dot at the start of a line
	afterDotCR // behind that and CR
	afterLF    // behind LF without CR
	atEnd      // behind the line that ends the message
)

// next returns the place behind a byte, whatever dots mean.
func (p place) next(b byte) place {
	switch {
	case b == '\r':
		return afterCR
	case b == '\n' && p == afterCR:
		return lineStart
	case b == '\n':
		return afterLF
	}
	return inLine
}

// decoder undoes what the sender of a message did to its dots. Only CR LF "." CR LF is an end: lines end in nothing else.
type decoder struct{ at place }

// decode appends the message in src to dst. It returns how much of src it has used, all unless the message has ended.
func (d *decoder) decode(dst, src []byte) (out []byte, used int) {
	for i := 0; i < len(src); i++ {
		b := src[i]
		switch d.at {
		case lineStart:
			if b == '.' {
				d.at = afterDot
				continue
			}
		case afterDot:
			if b == '\r' {
				d.at = afterDotCR
				continue
			}
		case afterDotCR:
			if b == '\n' {
				d.at = atEnd
				return dst, i + 1
			}
			dst = append(dst, '\r')
			d.at = afterCR
		case inLine, afterLF:
			n := bytes.IndexByte(src[i:], '\r')
			if n < 0 {
				return append(dst, src[i:]...), len(src)
			}
			dst = append(dst, src[i:i+n]...)
			i += n
			b = '\r'
		}
		dst = append(dst, b)
		d.at = d.at.next(b)
	}
	return dst, len(src)
}

// encoder writes a message with more dots, so that it ends for a program where it ends, and keeps its dots, also if the program takes CR or LF for
// the end of a line: CR or LF before a dot becomes CR LF. Otherwise a program gets the message as it was.
type encoder struct {
	out *bufio.Writer
	at  place
}

// write writes a part of the message. It may keep LF back.
func (e *encoder) write(part []byte) {
	for _, b := range part {
		before := e.at
		e.at = before.next(b)
		switch {
		case b == '.' && before == lineStart:
			e.out.WriteByte('.')
		case b == '.' && before == afterCR:
			e.out.WriteString("\n.")
		case b == '.' && before == afterLF:
			e.out.WriteString("\r\n.")
		case before == afterLF:
			e.out.WriteByte('\n')
		}
		if e.at != afterLF {
			e.out.WriteByte(b)
		}
	}
}

// end writes the end of the message. The error may be that of a part.
func (e *encoder) end() error {
	if e.at == afterLF {
		e.out.WriteByte('\n')
	}
	if e.at != lineStart {
		e.out.WriteString("\r\n")
	}
	e.out.WriteString(".\r\n")
	return e.out.Flush()
}
