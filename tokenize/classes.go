package tokenize

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"chaff/features"
)

// amounts is what the stretch before was, if an amount may go on in this one.
type amounts struct {
	open     bool   // whether the stretch before may be the first part of an amount
	number   int    // digits of the number that the stretch before ended with, 0 if it did not
	currency string // the currency of the amount that the stretch before ended with, empty if it did not
	phone    bool   // whether the stretch before was the start of a telephone number
}

// classes emits the kinds of what stands in a stretch of text: numbers and what else is made of digits, and addresses.
//
//	class:number:6        a number of five digits and more, by the digits before its decimals
//	class:money:$:3       an amount of money, by its currency and the same digits
//	class:percent         a percentage
//	class:date            a day, as 2002-12-25, 12/25/02, 25.12.2002, 25 Dec, December 25 or 2002年12月25日
//	class:time            a time of day, as 12:30
//	class:phone           a telephone number
//	class:address         an e-mail address, with its registered domain as address:example.com
//
// An amount may take two stretches, as 500 USD and 25 Dec: the first is kept in t.amounts.
func (t *Tokenizer) classes(stretch, before []byte, kinds byteKind) {
	a := t.amounts
	t.amounts = amounts{}
	if kinds&at != 0 {
		t.mailAddress(stretch)
	}
	if kinds&number == 0 {
		t.unit(a, stretch)
		return
	}
	x := amount{amounts: a, previous: before}
	for rest := stretch; ; rest = x.after {
		i := indexDigit(rest)
		if i < 0 {
			return
		}
		end := i + amountLength(rest[i:])
		x.before, x.digits, x.after = rest[:i], rest[i:end], rest[end:]
		t.amount(&x)
		x.amounts, x.previous = amounts{}, nil // what stands before the next one is in this stretch
	}
}

// amount is a run of digits, with signs between them, and what stands around it.
type amount struct {
	amounts
	previous      []byte // the stretch before, unless another amount stands between
	digits        []byte
	before, after []byte // the rest of its stretch
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func indexDigit(s []byte) int {
	for i, c := range s {
		if isDigit(c) {
			return i
		}
	}
	return -1
}

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
	case isHalfDay(word):
		t.class("class:time", stretch)
	}
}

// amount emits the kind of an amount.
func (t *Tokenizer) amount(x *amount) {
	currency := currencyAtEnd(x.before)
	if currency == "" && len(x.before) > 0 && isNameByte(x.before[len(x.before)-1]) {
		return // part of a name
	}
	unit, isUnit := currencyAtStart(x.after)
	if !isUnit && len(x.after) > 0 && isNameByte(x.after[0]) {
		if isHalfDay(x.after[:min(2, len(x.after))]) {
			t.class("class:time", x.digits)
		}
		return
	}
	g := groupsOf(x.digits)
	plus := bytes.HasSuffix(x.before, []byte("+"))
	switch {
	case g.isTime():
		t.class("class:time", x.digits)
	case g.isDate(), bytes.HasPrefix(x.after, []byte("年")), bytes.HasPrefix(x.after, []byte("月")):
		t.class("class:date", x.digits)
	case g.isPhone(plus), x.phone && g.digits > 1:
		t.class("class:phone", x.digits)
	case g.whole() > 0:
		if currency == "" && len(x.before) == 0 {
			currency = currencyAtEnd(x.previous)
		}
		if currency == "" {
			currency = unit
		}
		t.numeral(x, g.whole(), currency)
		if len(x.after) == 0 {
			t.amounts = amounts{open: true, number: g.whole(), currency: currency, phone: plus && g.digits <= 3}
		}
	}
}

// minNumber is from how many digits on a plain number has a class: shorter ones come often enough to be terms that say
// more (docs/experiments.md).
const minNumber = 5

// numeral emits the kind of a plain number with so many digits before its decimals.
func (t *Tokenizer) numeral(x *amount, digits int, currency string) {
	switch {
	case currency != "":
		t.money(currency, digits, x.digits)
	case len(x.after) > 0 && x.after[0] == '%':
		t.class("class:percent", x.digits)
	case len(x.before) == 0 && digits <= 2 && isMonth(trimMarks(x.previous)):
		t.class("class:date", x.digits)
	case digits >= minNumber:
		t.term = strconv.AppendInt(append(t.term[:0], "class:number:"...), int64(digits), 10)
		t.putClass(t.term, x.digits)
	}
}

func (t *Tokenizer) class(name string, token []byte) {
	t.term = append(t.term[:0], name...)
	t.putClass(t.term, token)
}

// putClass emits the class of something in the text or the subject, which is a word of the text wherever it stands.
func (t *Tokenizer) putClass(term, token []byte) {
	group := t.group
	t.group = features.Words
	t.put(term, token)
	t.group = group
}

func (t *Tokenizer) money(currency string, digits int, token []byte) {
	t.term = append(append(t.term[:0], "class:money:"...), currency...)
	t.term = strconv.AppendInt(append(t.term, ':'), int64(digits), 10)
	t.putClass(t.term, token)
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
	group := t.group
	t.group = features.Words
	t.single("address:", domain, t.domains)
	t.group = group
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
