package lmtp

import "bytes"

// Where a byte of a message is.
type place int

const (
	lineStart place = iota // behind CR LF, or at the beginning
	inLine
	afterCR
	afterDot   // behind a dot at the start of a line
	afterDotCR // behind that and CR
	afterLF    // behind LF without CR
	afterLFDot // behind that and a dot
	afterCRDot // behind CR without LF, and a dot
)

// decoder undoes what the sender of a message did to its dots. Only CR LF "." CR LF is an end: lines end in nothing else.
type decoder struct{ at place }

// decode appends the message in src to dst. It returns how much of src it has used, all unless the message has ended.
func (d *decoder) decode(dst, src []byte) (out []byte, used int, ended bool) {
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
				d.at = lineStart
				return dst, i + 1, true
			}
			dst = append(dst, '\r')
			d.at = afterCR
		case inLine:
			n := bytes.IndexByte(src[i:], '\r')
			if n < 0 {
				return append(dst, src[i:]...), len(src), false
			}
			dst = append(dst, src[i:i+n]...)
			i += n
			b = '\r'
		}
		dst = append(dst, b)
		switch {
		case b == '\r':
			d.at = afterCR
		case b == '\n' && d.at == afterCR:
			d.at = lineStart
		default:
			d.at = inLine
		}
	}
	return dst, len(src), false
}

// encoder adds dots to a message, so that it ends for a program where it ends, also if the program takes CR or LF for the end of a line. A
// program that does not gets the message as it was, but for CR or LF before a dot with CR or LF behind it: that becomes CR LF.
type encoder struct{ at place }

// encode appends the message in src to dst. It may keep LF, and a dot, back.
func (e *encoder) encode(dst, src []byte) []byte {
	for _, b := range src {
		switch e.at {
		case lineStart:
			if b == '.' {
				dst = append(dst, '.')
			}
		case afterCR:
			if b == '.' {
				e.at = afterCRDot
				continue
			}
		case afterLF:
			if b == '.' {
				e.at = afterLFDot
				continue
			}
		}
		dst = e.release(dst, b == '\r' || b == '\n')
		switch {
		case b == '\r':
			dst = append(dst, b)
			e.at = afterCR
		case b == '\n' && e.at == afterCR:
			dst = append(dst, b)
			e.at = lineStart
		case b == '\n':
			e.at = afterLF
		default:
			dst = append(dst, b)
			e.at = inLine
		}
	}
	return dst
}

// release appends what was kept back, when it is known whether the line ends there.
func (e *encoder) release(dst []byte, lineEnds bool) []byte {
	switch {
	case e.at == afterLF:
		dst = append(dst, '\n')
	case e.at == afterLFDot && lineEnds:
		dst = append(dst, "\r\n.."...)
	case e.at == afterLFDot:
		dst = append(dst, "\n."...)
	case e.at == afterCRDot && lineEnds:
		dst = append(dst, "\n.."...)
	case e.at == afterCRDot:
		dst = append(dst, '.')
	default:
		return dst
	}
	e.at = inLine
	return dst
}

// end appends the end of the message.
func (e *encoder) end(dst []byte) []byte {
	dst = e.release(dst, true)
	if e.at != lineStart {
		dst = append(dst, "\r\n"...)
	}
	return append(dst, ".\r\n"...)
}
