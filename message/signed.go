package message

// signed returns what is signed in a file of S/MIME, nil for an encrypted one. It counts as text of the message, as in innerContent.
//
// QUIRK: a signature is a part beside what is signed, or a file with both. Programs show what is in the file, whoever signed it
// (signed.eml).
func (d *Decoder) signed(e entity, body []byte) []byte {
	start, repairs := len(d.arena), d.msg.Repairs
	content := signedContent(d.content(e, body, d.left))
	d.left -= len(content)
	d.arena, d.msg.Repairs = d.arena[:start], repairs
	return content
}

// signedContent returns a copy of the content of a SignedData (RFC 5652), up to where the file was cut. It returns nil of anything else.
func signedContent(file []byte) (content []byte) {
	const sequence, set, number, object, inner, piece, pieces, end = 0x30, 0x31, 0x02, 0x06, 0xa0, 0x04, 0x24, 0x00
	// The type of the file and what it has: the version, the digests, and of what is signed the type and the content, perhaps in pieces.
	for _, want := range []byte{sequence, object, inner, sequence, number, set, sequence, object, inner} {
		tag, _, _, after := cutElement(file)
		if tag != want {
			return nil
		}
		if tag != sequence && tag != inner {
			after = skipElement(file)
		}
		file = after
	}
	for len(file) > 0 {
		tag, size, _, after := cutElement(file)
		switch tag {
		case piece:
			content = append(content, after[:size]...)
		case pieces, end:
			size = 0
		default:
			return content
		}
		file = after[size:]
	}
	return content
}

// skipElement returns what follows the first element of data.
func skipElement(data []byte) []byte {
	for depth := 0; ; {
		tag, size, isOpen, after := cutElement(data)
		data = after[size:]
		switch {
		case isOpen:
			depth++
		case tag == 0:
			depth--
		}
		if depth <= 0 || len(data) == 0 {
			return data
		}
	}
}

// cutElement returns the tag of the first element of data (X.690), the size of its content, and the content with all that follows it. The
// content of an open element has no size: an element of two zeros ends it.
func cutElement(data []byte) (tag byte, size int, isOpen bool, after []byte) {
	if len(data) < 2 {
		return 0, 0, false, nil
	}
	size, after = int(data[1]), data[2:]
	if size >= 0x80 {
		digits := after[:min(size&0x7f, len(after))]
		size, isOpen, after = 0, len(digits) == 0, after[len(digits):]
		for _, digit := range digits {
			size = min(size<<8|int(digit), MaxSize)
		}
	}
	return data[0], min(size, len(after)), isOpen, after
}
