package message

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"chaff/internal/ascii"
)

// encodeUU returns the lines of a uuencoded file, after the first one.
func encodeUU(data []byte) []byte {
	const perLine = 45
	var lines []byte
	digit := func(b byte) {
		if b == 0 {
			b = '`' - ' '
		}
		lines = append(lines, b+' ')
	}
	for len(data) > 0 {
		n := min(len(data), perLine)
		digit(byte(n))
		for i := 0; i < n; i += 3 {
			var group [3]byte
			copy(group[:], data[i:n])
			digit(group[0] >> 2)
			digit(group[0]<<4&0x3f | group[1]>>4)
			digit(group[1]<<2&0x3f | group[2]>>6)
			digit(group[2] & 0x3f)
		}
		lines = append(lines, '\n')
		data = data[n:]
	}
	return append(lines, "`\nend\n"...)
}

func FuzzUUencode(f *testing.F) {
	for _, seed := range []string{"", "abc", "a\x00", strings.Repeat("words ", 20), "#86)C\n`\nend\nmore", "#86)\nx\n#86)C\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, rest, ok := appendUU(nil, encodeUU(data))
		if !bytes.Equal(got, data) || len(rest) > 0 || !ok {
			t.Errorf("%q came back as %q, %q, %v", data, got, rest, ok)
		}
		got, rest, _ = appendUU(nil, data)
		if len(got) > len(data) || !bytes.HasSuffix(data, rest) {
			t.Errorf("%q was read as %q, with the rest %q", data, got, rest)
		}
		d := NewDecoder(Options{})
		text, files := d.takeFiles(data)
		if len(text) > len(data) {
			t.Errorf("%q without its files is %q", data, text)
		}
		if len(files) == 0 && !bytes.Equal(text, data) {
			t.Errorf("%q without files became %q", data, text)
		}
	})
}

// encodeUTF7 returns s with all characters but those of ASCII, and all plus signs, in base64.
func encodeUTF7(s string) []byte {
	var encoded, units []byte
	flush := func() {
		if len(units) > 0 {
			encoded = fmt.Appendf(encoded, "+%s-", base64.RawStdEncoding.EncodeToString(units))
		}
		units = units[:0]
	}
	for _, r := range s {
		if r < utf8.RuneSelf && r != '+' {
			flush()
			encoded = append(encoded, byte(r))
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			units = append(units, byte(unit>>8), byte(unit))
		}
	}
	flush()
	return encoded
}

func FuzzUTF7(f *testing.F) {
	for _, seed := range []string{"", "a+b", "Hi Mom -+Jjo--!", "+2D3eAA-", "+2D0-", "日本語", "😀+😀", "+AAA", "\xff+"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := appendUTF7(nil, []byte(s))
		if !utf8.Valid(got) {
			t.Errorf("%q became %q, which is not valid UTF-8", s, got)
		}
		if !strings.Contains(s, "+") && utf8.ValidString(s) && string(got) != s {
			t.Errorf("%q, without any plus sign, became %q", s, got)
		}
		if utf8.ValidString(s) {
			if got := appendUTF7(nil, encodeUTF7(s)); string(got) != s {
				t.Errorf("%q came back as %q", s, got)
			}
		}
	})
}

// FuzzParameters cuts a name into pieces as RFC 2231 has them, some with %FC and some in quotes, puts them into any
// order, and wants it back.
func FuzzParameters(f *testing.F) {
	f.Add("name.txt", uint64(1), "")
	f.Add("größere Töpfe.pdf", uint64(2), "; name=x")
	f.Add(`a "b" \ ; (c) 'd' %41.zip`, uint64(3), `;"`)
	f.Add("日本語", uint64(4), "=?utf-8?q?a?=")
	f.Fuzz(func(t *testing.T, name string, seed uint64, junk string) {
		d := NewDecoder(Options{})
		d.cutParams([]byte(junk))
		if got := d.param("name"); !utf8.Valid(got) {
			t.Errorf("%q holds the name %q, which is not valid UTF-8", junk, got)
		}
		if name == "" || !utf8.ValidString(name) || strings.ContainsAny(name, "\x00\x1b\ufeff") {
			return
		}
		random := rand.New(rand.NewPCG(seed, 0))
		pieces := cutPieces(name, random)
		random.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
		params := []byte("; charset=x; " + strings.Join(pieces, "; ") + "; size=1")
		d.cutParams(params)
		if got := d.param("name"); string(got) != name {
			t.Errorf("got %q from %q, want %q", got, params, name)
		}
	})
}

func cutPieces(name string, random *rand.Rand) []string {
	var pieces []string
	for len(name) > 0 {
		n := 1 + random.IntN(len(name))
		value, percent := "", len(pieces) == 0 || random.IntN(2) == 0
		for _, c := range []byte(name[:n]) {
			switch {
			case percent && !ascii.IsAlphanumeric(c):
				value += fmt.Sprintf("%%%02x", c)
			case !percent && (c == '"' || c == '\\'):
				value += `\` + string(rune(c))
			default:
				value += string([]byte{c})
			}
		}
		name = name[n:]
		switch {
		case len(pieces) == 0:
			pieces = append(pieces, "name*0*=utf-8'en'"+value)
		case percent:
			pieces = append(pieces, fmt.Sprintf("NAME*%d*=%s", len(pieces), value))
		default:
			pieces = append(pieces, fmt.Sprintf(`name*%d="%s"`, len(pieces), value))
		}
	}
	return pieces
}

func FuzzGuess(f *testing.F) {
	for _, seed := range []string{
		"", "abc", "caf\xe9", "\xd0\xd2\xc9\xd7\xc5\xd4", "\xcf\xf0\xe8\xe2\xe5\xf2", "\xc4\xe3\xba\xc3", "\xa7A\xa6n", "\x82\xb1\x82\xf1",
		"\xa4\xb3\xa4\xf3", "\xbe\xc8\xb3\xe7", "\xff\xfe", "\xa1", "\xf9\xec\xe5\xed",
	} {
		f.Add([]byte(seed), "ASCII")
	}
	d := NewDecoder(Options{})
	other := newGuesser()
	f.Fuzz(func(t *testing.T, text []byte, before string) {
		name := guesses().charset(text)
		if d.codec([]byte(name)) == nil {
			t.Errorf("%q is taken for %q, which is no charset", text, name)
		}
		if again := other.charset(text); again != name {
			t.Errorf("%q is taken for %q, and then for %q", text, name, again)
		}
		before = strings.Map(func(r rune) rune { return r % utf8.RuneSelf }, before)
		if with := guesses().charset(append([]byte(before), text...)); with != name {
			t.Errorf("%q is taken for %q, but for %q after ASCII", text, name, with)
		}
		d.arena = d.arena[:0]
		if d.decode(d.codec([]byte(name)), text); !utf8.Valid(d.arena) {
			t.Errorf("%q became %q, which is not valid UTF-8", text, d.arena)
		}
	})
}
