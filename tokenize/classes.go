package tokenize

import (
	"bytes"
	"cmp"
	"strconv"
	"unicode/utf8"

	"chaff/internal/ascii"
)

// amounts describes the end of the chunk before, where an amount may begin that this chunk continues.
type amounts struct {
	number   int    // the digits of its number; 0 if none has begun
	currency string // its currency, or an empty text
	phone    bool   // it is the start of a telephone number
}

// classes emits the classes of a chunk of text: of its numbers and of its e-mail address.
//
//	class:number:6        a number of five digits or more, by the count of digits before its decimals
//	class:money:$:3       an amount of money, by its currency and the same count
//	class:percent         a percentage
//	class:date            a day, as 2002-12-25, 12/25/02, 25.12.2002, 25 Dec, December 25 or 2002年12月25日
//	class:time            a time of day, as 12:30
//	class:phone           a telephone number
//	class:address         an e-mail address, with its registered domain as address:example.com
//
// An amount may span two chunks, as 500 USD and 25 Dec: t.amounts describes the first. The caller sets the group, which is that of the
// text even in the subject.
func (t *Tokenizer) classes(chunk, before []byte, kinds byteKind) {
	a := t.amounts
	t.amounts = amounts{}
	if kinds&at != 0 {
		t.mailAddress(chunk)
	}
	if kinds&number == 0 {
		t.unit(a, chunk)
		return
	}
	x := amount{amounts: a, previous: before}
	for rest := chunk; ; rest = x.after {
		i := bytes.IndexAny(rest, "0123456789")
		if i < 0 {
			return
		}
		end := i + amountLength(rest[i:])
		x.before, x.digits, x.after = rest[:i], rest[i:end], rest[end:]
		t.amount(&x)
		x.amounts, x.previous = amounts{}, nil // what comes before the next amount is in this chunk
	}
}

// amount is a run of digits, with the signs between them, in its context.
type amount struct {
	amounts
	previous      []byte // the chunk before, if no other amount is between
	digits        []byte
	before, after []byte // of its chunk
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// amountLength returns the length of the digits at the start of s, with the signs between them.
func amountLength(s []byte) int {
	for i, c := range s {
		if isDigit(c) {
			continue
		}
		switch c {
		case '.', ',', ':', '/', '-', ')', '\'':
			if i+1 < len(s) && isDigit(s[i+1]) {
				continue
			}
		}
		return i
	}
	return len(s)
}

// unit emits the class of an amount that began in the chunk before, if this chunk ends it: with a currency, a month, a percentage or a
// large number.
func (t *Tokenizer) unit(a amounts, chunk []byte) {
	word := trimMarks(chunk)
	if a.currency != "" {
		if digits := largeNumber(word); digits > 0 {
			t.money(a.currency, a.number+digits, chunk)
		}
		return
	}
	if a.number == 0 {
		return
	}
	switch currency := currencyAtStart(chunk); {
	case currency != "":
		t.money(currency, a.number, chunk)
	case a.number <= 2 && isMonth(word):
		t.putTagged("class:date", nil, chunk)
	case chunk[0] == '%', ascii.EqualFold(word, "percent"):
		t.putTagged("class:percent", nil, chunk)
	case isHalfDay(word):
		t.putTagged("class:time", nil, chunk)
	}
}

// amount emits the class of an amount.
func (t *Tokenizer) amount(x *amount) {
	currency := currencyAtEnd(x.before)
	if currency == "" && len(x.before) > 0 && isNameByte(x.before[len(x.before)-1]) {
		return // part of a name
	}
	unit := currencyAtStart(x.after)
	if unit == "" && len(x.after) > 0 && isNameByte(x.after[0]) {
		if isHalfDay(x.after[:min(2, len(x.after))]) {
			t.putTagged("class:time", nil, x.digits)
		}
		return
	}
	g := groupsOf(x.digits)
	plus := bytes.HasSuffix(x.before, []byte("+"))
	switch {
	case g.isTime():
		t.putTagged("class:time", nil, x.digits)
	case g.isDate(), bytes.HasPrefix(x.after, []byte("年")), bytes.HasPrefix(x.after, []byte("月")):
		t.putTagged("class:date", nil, x.digits)
	case g.isPhone(plus), x.phone && g.digits > 1:
		t.putTagged("class:phone", nil, x.digits)
	case g.whole() > 0:
		if currency == "" && len(x.before) == 0 {
			currency = currencyAtEnd(x.previous)
		}
		currency = cmp.Or(currency, unit)
		t.numeral(x, g.whole(), currency)
		if len(x.after) == 0 {
			t.amounts = amounts{number: g.whole(), currency: currency, phone: plus && g.digits <= 3}
		}
	}
}

// minNumber is the least number of digits of a plain number with a class. Shorter numbers are frequent enough to be better terms
// themselves (docs/experiments.md).
const minNumber = 5

// numeral emits the class of a plain number with a count of digits before its decimals.
func (t *Tokenizer) numeral(x *amount, digits int, currency string) {
	switch {
	case currency != "":
		t.money(currency, digits, x.digits)
	case len(x.after) > 0 && x.after[0] == '%':
		t.putTagged("class:percent", nil, x.digits)
	case len(x.before) == 0 && digits <= 2 && isMonth(trimMarks(x.previous)):
		t.putTagged("class:date", nil, x.digits)
	case digits >= minNumber:
		t.term = strconv.AppendInt(append(t.term[:0], "class:number:"...), int64(digits), 10)
		t.put(t.term, x.digits)
	}
}

func (t *Tokenizer) money(currency string, digits int, token []byte) {
	t.term = append(append(t.term[:0], "class:money:"...), currency...)
	t.term = strconv.AppendInt(append(t.term, ':'), int64(digits), 10)
	t.put(t.term, token)
}

// mailAddress emits the class of an e-mail address, and its registered domain, if the chunk is one.
func (t *Tokenizer) mailAddress(chunk []byte) {
	address := trimMarks(chunk)
	i := bytes.LastIndexByte(address, '@')
	if i <= 0 || bytes.IndexByte(address[i:], '.') < 0 || len(address)-i > maxHost {
		return
	}
	domain := address[i+1:]
	for _, c := range domain {
		if !ascii.IsAlphanumeric(c) && c != '.' && c != '-' && c < utf8.RuneSelf {
			return
		}
	}
	t.putTagged("class:address", nil, address)
	t.putWord("address:", domain, t.domains)
}

// digitGroups is the form of an amount: groups of digits and the signs between them.
type digitGroups struct {
	sizes  [6]int
	signs  [5]byte
	count  int // of groups, even if there are more than sizes has
	digits int
}

func groupsOf(n []byte) digitGroups {
	g := digitGroups{count: 1}
	for _, c := range n {
		if isDigit(c) {
			g.digits++
			if g.count <= len(g.sizes) {
				g.sizes[g.count-1]++
			}
			continue
		}
		if g.count <= len(g.signs) {
			g.signs[g.count-1] = c
		}
		g.count++
	}
	return g
}

func (g digitGroups) isTime() bool {
	hasColons := g.count == 2 || g.count == 3 && g.signs[1] == ':'
	return hasColons && g.signs[0] == ':' && g.sizes[0] <= 2 && g.sizes[1] == 2
}

func (g digitGroups) isDate() bool {
	c := g.signs[0]
	if g.count != 3 || c != g.signs[1] || c != '/' && c != '-' && c != '.' {
		return false
	}
	first, middle, last := g.sizes[0], g.sizes[1], g.sizes[2]
	return middle <= 2 && (first <= 2 && (last == 4 || last == 2 && c != '.') || first == 4 && last <= 2)
}

// isPhone reports whether the groups are a telephone number: seven to fifteen digits (ITU-T E.164) after a plus, in the two groups of
// North America, or in three groups or more.
func (g digitGroups) isPhone(plus bool) bool {
	if g.digits < 7 || g.digits > 15 || g.count > len(g.sizes) {
		return false
	}
	switch first, last := g.sizes[0], g.sizes[g.count-1]; {
	case plus:
		return true
	case g.count == 1, len(bytes.Trim(g.signs[:g.count-1], "-.)/")) > 0:
		return false
	case g.count == 2:
		return g.signs[0] == '-' && first == 3 && last == 4
	default:
		return first <= 5 && last >= 3
	}
}

// whole returns how many digits a plain number has before its decimals, or 0 if the groups are no plain number. All groups but the first
// have three digits, with commas, points or apostrophes between them, and decimals follow another sign.
func (g digitGroups) whole() int {
	if g.count == 1 {
		return g.digits
	}
	if g.count > len(g.sizes) {
		return 0
	}
	last := g.count - 1
	for i, c := range g.signs[:last] {
		isInner := i < last-1
		if c != ',' && c != '.' && c != '\'' || isInner && (c != g.signs[0] || g.sizes[i+1] != 3) {
			return 0
		}
	}
	switch sameSign := g.signs[last-1] == g.signs[0]; {
	case sameSign && g.sizes[last] == 3:
		return g.digits
	case sameSign && last > 1:
		return 0
	}
	return g.digits - g.sizes[last]
}
