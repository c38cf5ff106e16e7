package tokenize

import (
	"bytes"
	"unicode/utf8"

	"chaff/internal/ascii"
)

// currencySign returns the currency of a sign, or an empty text. Currencies of the same name are one.
func currencySign(r rune) string {
	switch r {
	case '$', '＄':
		return "$"
	case '€':
		return "€"
	case '£':
		return "£"
	case '¥', '￥', '元', '円':
		return "¥"
	case '₽':
		return "₽"
	case '₹':
		return "₹"
	case '₩', '원':
		return "₩"
	case '₿':
		return "btc"
	}
	return ""
}

// currencyWord returns the currency that a word names, or an empty text.
func currencyWord(word []byte) string {
	switch lowerUnit(word) {
	case "usd", "dollar", "dollars":
		return "$"
	case "eur", "euro", "euros":
		return "€"
	case "gbp", "pounds":
		return "£"
	case "jpy", "cny", "rmb", "yen", "yuan":
		return "¥"
	case "rub", "руб", "рублей", "рубля":
		return "₽"
	case "inr", "rs", "rupees":
		return "₹"
	case "krw":
		return "₩"
	case "btc", "bitcoin", "bitcoins":
		return "btc"
	case "chf":
		return "chf"
	case "kr", "sek", "nok", "dkk":
		return "kr"
	case "zł", "pln":
		return "zł"
	case "ft", "huf":
		return "ft"
	}
	return ""
}

// maxUnit is the length in bytes of the longest word that names a currency, a month or a large number.
const maxUnit = 18

// lowerUnit returns a word with its ASCII letters in lower case. It is empty for a word that is too long. It is small enough to be inlined,
// so the text needs no memory.
func lowerUnit(word []byte) string {
	if len(word) > maxUnit {
		return ""
	}
	return string(ascii.AppendLower(make([]byte, 0, maxUnit), word, maxUnit))
}

// currencyAtEnd returns the currency at the end of the text before a number, or an empty text.
func currencyAtEnd(before []byte) string {
	r, _ := utf8.DecodeLastRune(before)
	if sign := currencySign(r); sign != "" {
		return sign
	}
	word := bytes.TrimSuffix(before, []byte("."))
	start := len(word)
	for start > 0 && isLetterByte(word[start-1]) && len(word)-start <= maxUnit {
		start--
	}
	return currencyWord(word[start:])
}

// currencyAtStart returns the currency at the start of the text after a number, or an empty text.
func currencyAtStart(after []byte) string {
	r, size := utf8.DecodeRune(after)
	if r == '万' || r == '萬' || r == '만' { // ten thousand
		r, _ = utf8.DecodeRune(after[size:])
	}
	if sign := currencySign(r); sign != "" {
		return sign
	}
	end := 0
	for end < len(after) && isLetterByte(after[end]) && end <= maxUnit {
		end++
	}
	return currencyWord(after[:end])
}

// isLetterByte reports whether c is an ASCII letter or part of a non-ASCII character.
func isLetterByte(c byte) bool { return c >= utf8.RuneSelf || ascii.IsLetter(c) }

// isNameByte reports whether digits next to c are part of a name, as in mp3 and x_1.
func isNameByte(c byte) bool { return ascii.IsAlphanumeric(c) || c == '_' }

// isHalfDay reports whether a word is am or pm.
func isHalfDay(word []byte) bool {
	return ascii.EqualFold(word, "am") || ascii.EqualFold(word, "pm")
}

// largeNumber returns how many digits a word such as million adds to the number before it, or 0.
func largeNumber(word []byte) int {
	switch lowerUnit(word) {
	case "thousand":
		return 3
	case "million", "millions", "millionen", "millones", "mio":
		return 6
	case "billion", "billions":
		return 9
	}
	return 0
}

// isMonth reports whether a word is a month, in full or abbreviated, in English, German, French, Spanish or Italian.
func isMonth(word []byte) bool {
	switch lowerUnit(word) {
	case "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
		"december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
		"januar", "februar", "märz", "mai", "juni", "juli", "oktober", "dezember",
		"janvier", "février", "mars", "avril", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre",
		"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
		"gennaio", "febbraio", "aprile", "maggio", "giugno", "luglio", "settembre", "ottobre", "dicembre":
		return true
	}
	return false
}
