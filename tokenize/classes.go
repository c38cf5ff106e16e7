package tokenize

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// amounts is what a stretch may be read together with: the one before it, and what that one was.
type amounts struct {
	before   []byte // the stretch before, nil at the start
	open     bool   // whether the stretch before may be the first part of an amount
	number   int    // digits of the number that the stretch before ended with, 0 if it did not
	currency string // the currency of the amount that the stretch before ended with, empty if it did not
	phone    bool   // whether the stretch before was the start of a telephone number
}

func (a *amounts) reset() { *a = amounts{} }

// classes emits the kinds of what stands in a stretch of text: numbers and what else is made of digits, and addresses.
//
//	class:number:4        a number, by the digits before its decimals
//	class:money:$:3       an amount of money, by its currency and the same digits
//	class:percent         a percentage
//	class:date            a day, as 2002-12-25, 12/25/02, 25.12.2002, 25 Dec, December 25 or 2002年12月25日
//	class:time            a time of day, as 12:30
//	class:phone           a telephone number
//	class:address         an e-mail address, with its registered domain as address:example.com
//
// An amount may take two stretches, as 500 USD and 25 Dec: the first is kept in t.amounts.
func (t *Tokenizer) classes(stretch []byte, kinds byteKind) {
	a := t.amounts
	t.amounts.open, t.amounts.number, t.amounts.currency, t.amounts.phone = false, 0, "", false
	if kinds&at != 0 {
		t.mailAddress(stretch)
	}
	if kinds&number == 0 {
		t.unit(a, stretch)
		return
	}
	rest := stretch
	for i := indexDigit(rest); i >= 0; i = indexDigit(rest) {
		end := i + amountLength(rest[i:])
		t.amount(a, rest[:i], rest[i:end], rest[end:])
		rest = rest[end:]
		a = amounts{} // what stands before the next amount is in this stretch
	}
}

func indexDigit(s []byte) int {
	for i, c := range s {
		if classOf(c) == digit {
			return i
		}
	}
	return -1
}

// amountLength returns the length of the digits at the start of s, with the signs between them.
func amountLength(s []byte) int {
	for i, c := range s {
		if classOf(c) == digit {
			continue
		}
		switch c {
		case '.', ',', ':', '/', '-', ')', '\'':
			if i+1 < len(s) && classOf(s[i+1]) == digit {
				continue
			}
		}
		return i
	}
	return len(s)
}

// unit emits the amount that the stretch before began, if this one ends it: a currency, a month, a word for a percentage
// or a large number.
func (t *Tokenizer) unit(a amounts, stretch []byte) {
	word := trimMarks(stretch)
	if a.currency != "" {
		if digits := largeNumber(word); digits > 0 {
			t.money(a.currency, a.number+digits, stretch)
		}
		return
	}
	if a.number == 0 {
		return
	}
	currency, _ := currencyAtStart(stretch)
	switch {
	case currency != "":
		t.money(currency, a.number, stretch)
	case a.number <= 2 && isMonth(word):
		t.class("class:date", stretch)
	case stretch[0] == '%', bytes.EqualFold(word, []byte("percent")):
		t.class("class:percent", stretch)
	case bytes.EqualFold(word, []byte("am")) || bytes.EqualFold(word, []byte("pm")):
		t.class("class:time", stretch)
	}
}

// amount emits the kind of the amount n, with what stands before and after it in the same stretch; a is what the stretch
// before was.
func (t *Tokenizer) amount(a amounts, before, n, after []byte) {
	currency := currencyAtEnd(before)
	if currency == "" && len(before) > 0 && isWordByte(before[len(before)-1]) {
		return // part of a name
	}
	unit, isUnit := currencyAtStart(after)
	if !isUnit && len(after) > 0 && (isAlnum(after[0]) || after[0] == '_') {
		if len(after) >= 2 && after[1]|0x20 == 'm' && (after[0]|0x20 == 'a' || after[0]|0x20 == 'p') && groupsOf(n).count <= 3 {
			t.class("class:time", n)
		}
		return
	}
	g := groupsOf(n)
	switch {
	case g.isTime():
		t.class("class:time", n)
	case g.isDate(), bytes.HasPrefix(after, []byte("年")), bytes.HasPrefix(after, []byte("月")):
		t.class("class:date", n)
	case g.isPhone(bytes.HasSuffix(before, []byte("+"))), a.phone && g.digits >= 2:
		t.class("class:phone", n)
	case g.whole() > 0:
		if currency == "" && len(before) == 0 {
			currency = currencyAtEnd(a.before)
		}
		if currency == "" {
			currency = unit
		}
		t.numeral(a, currency, g.whole(), n, after, bytes.HasSuffix(before, []byte("+")))
	}
}

// numeral emits a plain number of so many digits, and remembers it for the next stretch.
func (t *Tokenizer) numeral(a amounts, currency string, digits int, n, after []byte, plus bool) {
	switch {
	case currency != "":
		t.money(currency, digits, n)
	case len(after) > 0 && after[0] == '%':
		t.class("class:percent", n)
	case len(a.before) > 0 && digits <= 2 && isMonth(trimMarks(a.before)):
		t.class("class:date", n)
	default:
		t.term = strconv.AppendInt(append(t.term[:0], "class:number:"...), int64(digits), 10)
		t.put(t.term, n)
	}
	if len(after) == 0 {
		t.amounts.open, t.amounts.number, t.amounts.currency, t.amounts.phone = true, digits, currency, plus && digits <= 3
	}
}

func (t *Tokenizer) class(name string, token []byte) {
	t.term = append(t.term[:0], name...)
	t.put(t.term, token)
}

func (t *Tokenizer) money(currency string, digits int, token []byte) {
	t.term = append(append(t.term[:0], "class:money:"...), currency...)
	t.term = strconv.AppendInt(append(t.term, ':'), int64(digits), 10)
	t.put(t.term, token)
}

// mailAddress emits the class of an e-mail address, if the stretch is one, and its registered domain.
func (t *Tokenizer) mailAddress(stretch []byte) {
	address := trimMarks(stretch)
	i := bytes.LastIndexByte(address, '@')
	if i <= 0 || bytes.IndexByte(address[i:], '.') < 0 || len(address)-i > maxHost {
		return
	}
	domain := address[i+1:]
	for _, c := range domain {
		if !isAlnum(c) && c != '.' && c != '-' && c < utf8.RuneSelf {
			return
		}
	}
	t.class("class:address", address)
	t.word("address:", domain, t.domains)
}

// digitGroups is the form of an amount: runs of digits and the signs between them.
type digitGroups struct {
	sizes  [6]int
	signs  [5]byte
	count  int // groups, more than 6 if there are more
	digits int
}

func groupsOf(n []byte) digitGroups {
	g := digitGroups{count: 1}
	for _, c := range n {
		if classOf(c) == digit {
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

// oneSign reports whether all groups have the same sign between them, and which.
func (g digitGroups) oneSign() (c byte, same bool) {
	if g.count < 2 || g.count > len(g.sizes) {
		return 0, false
	}
	for _, c := range g.signs[:g.count-1] {
		if c != g.signs[0] {
			return 0, false
		}
	}
	return g.signs[0], true
}

func (g digitGroups) isTime() bool {
	c, same := g.oneSign()
	return same && c == ':' && g.count <= 3 && g.sizes[0] <= 2 && g.sizes[1] == 2
}

func (g digitGroups) isDate() bool {
	c, same := g.oneSign()
	if !same || g.count != 3 || c != '/' && c != '-' && c != '.' {
		return false
	}
	first, middle, last := g.sizes[0], g.sizes[1], g.sizes[2]
	return middle <= 2 && (first <= 2 && (last == 4 || last == 2 && c != '.') || first == 4 && last <= 2)
}

// isPhone reports whether the groups are those of a telephone number: seven to fifteen digits (ITU-T E.164) after a
// plus, or in groups as they are written in North America, or in three groups and more.
func (g digitGroups) isPhone(plus bool) bool {
	if g.digits < 7 || g.digits > 15 || g.count > len(g.sizes) {
		return false
	}
	if plus {
		return true
	}
	for _, c := range g.signs[:g.count-1] {
		if c != '-' && c != '.' && c != ')' && c != '/' {
			return false
		}
	}
	switch last := g.sizes[g.count-1]; g.count {
	case 1:
		return false
	case 2:
		return g.signs[0] == '-' && g.sizes[0] == 3 && last == 4
	default:
		return last >= 3 && g.sizes[0] <= 5
	}
}

// whole returns how many digits a plain number has before its decimals, 0 if the groups are no plain number: groups of
// three digits but for the first, with commas, points or apostrophes, and at last decimals behind another sign.
func (g digitGroups) whole() int {
	if g.count == 1 {
		return g.digits
	}
	if g.count > len(g.sizes) {
		return 0
	}
	last := g.count - 1
	for i, c := range g.signs[:last] {
		if c != ',' && c != '.' && c != '\'' || i < last-1 && c != g.signs[0] {
			return 0
		}
	}
	for _, size := range g.sizes[1:last] {
		if size != 3 {
			return 0
		}
	}
	isDecimal := g.sizes[last] != 3 || g.signs[last-1] != g.signs[0]
	if !isDecimal {
		return g.digits
	}
	if last > 1 && g.signs[last-1] == g.signs[0] {
		return 0
	}
	return g.digits - g.sizes[last]
}
