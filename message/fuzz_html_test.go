package message

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// letters counts the letters of ASCII in texts.
func letters(texts ...[]byte) (count [26]int) {
	for _, text := range texts {
		for _, c := range text {
			if isLetter(c) {
				count[lowerByte(c)-'a']++
			}
		}
	}
	return count
}

// textOfHTML returns what the tokenizer of x/net/html takes for text, other than scripts and styles.
func textOfHTML(source string) []byte {
	var text []byte
	z := html.NewTokenizer(strings.NewReader(source))
	inside := ""
	for {
		switch z.Next() {
		case html.ErrorToken:
			return text
		case html.TextToken:
			if inside != "script" && inside != "style" {
				text = append(text, z.Text()...)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			inside = string(name)
			if inside != "script" && inside != "style" && inside != "xmp" && inside != "plaintext" {
				z.NextIsNotRawText()
			}
		case html.EndTagToken:
			inside = ""
		}
	}
}

// FuzzNoTextOfHTMLIsLost reads HTML and looks for the letters of its text among what is visible, hidden, and a link.
func FuzzNoTextOfHTMLIsLost(f *testing.F) {
	for _, seed := range []string{
		"<p>a<b hidden>b</b>c", "<style>.x{display:none}</style><p class=x>a<p>b", "<table><tr><td style='display:none'>a<td>b</table>c",
		"<body bgcolor=red text=red>a<font color=blue>b", "<div style=font-size:0>a http://shop.example/ b</div>", "a<!-- b --><script>c</script>d",
		"<title>a</title><template>b</template><li hidden>c<li>d", "<a href=x>a<a href=y hidden>b</a>c", "&#97;&amp;<wbr>b&shy;c",
	} {
		f.Add(seed)
	}
	d := NewDecoder(Options{})
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 1<<12 || strings.Contains(strings.ToLower(source), "iso-") {
			return // the seconds of a fuzzer are better spent; what declares a charset is read in it
		}
		m := d.Decode([]byte("Content-Type: text/html; charset=utf-8\n\n" + source))
		if m.Repairs != 0 || bytes.ContainsAny([]byte(source), "\x00\r") {
			return // it was mended, which means text where the tokenizer sees none, or other bytes
		}
		all := [][]byte{m.Parts[0].Text, m.Parts[0].Hidden}
		for _, l := range m.Links {
			all = append(all, l.URL)
		}
		want, got := letters(textOfHTML(source)), letters(all...)
		for i := range want {
			if got[i] < want[i] {
				t.Errorf("%d of %d letters %c: %q and hidden %q of %q", got[i], want[i], 'a'+i, m.Parts[0].Text, m.Parts[0].Hidden, source)
			}
		}
		if len(m.Parts[0].Hidden) == 0 && m.Marks.Has(HiddenText) {
			t.Errorf("nothing is hidden, but it is said that something is")
		}
	})
}

// FuzzDeclarations reads the content of a style attribute. Case does not matter, nor does what has no meaning.
func FuzzDeclarations(f *testing.F) {
	for _, seed := range []string{
		"display:none", "color: #fff; background: url(data:image/png;base64,AAA) red", "font-size: .5em;;: ;x", "left:-1e9px;position:fixed",
		"background:rgb(1,2", "background:\xb4 000", "opacity:0%!important", "width:0;overflow:hidden",
	} {
		f.Add(seed)
	}
	d := NewDecoder(Options{})
	f.Fuzz(func(t *testing.T, list string) {
		read := func(list string) style {
			s := newStyle()
			d.declarations(&s, []byte(list))
			d.msg.Links, d.links = d.msg.Links[:0], d.links[:0]
			return s
		}
		once := read(list)
		if upper := read(asciiUpper(list)); upper != once && !strings.Contains(strings.ToLower(list), "url(") {
			t.Errorf("%q is %+v, in capitals %+v", list, once, upper)
		}
		if after := read("unknown: 0;" + list); after != once {
			t.Errorf("%q is %+v, behind something unknown %+v", list, once, after)
		}
		if l := newLook().inside(once); l.hidden() != l.hidden()|l.why {
			t.Errorf("%q: why it is hidden was lost", list)
		}
	})
}

func asciiUpper(s string) string {
	upper := []byte(s)
	for i, c := range upper {
		if 'a' <= c && c <= 'z' {
			upper[i] = c - 'a' + 'A'
		}
	}
	return string(upper)
}

// FuzzColour reads colours. One that is written in full is read as it was.
func FuzzColour(f *testing.F) {
	for _, seed := range []string{"#fff", "#ffff", "ffffff", "#01020300", "rgb(1,2,3)", "rgba(1 2 3 / 0)", "rgb(300, -1, 50%)", "White", "inherit", "-0"} {
		f.Add(seed)
	}
	d := NewDecoder(Options{})
	f.Fuzz(func(t *testing.T, value string) {
		c := d.colour([]byte(value))
		if c > white && c != unsetColour && c != unknownColour && c != transparentColour {
			t.Fatalf("%q is %x", value, c)
		}
		if c > white {
			return
		}
		for _, format := range []string{"#%06x", "%06X", "#%06xff"} {
			if got := d.colour(fmt.Appendf(nil, format, uint32(c))); got != c {
				t.Errorf(format+" is read as %x", uint32(c), got)
			}
		}
		if got := d.colour(fmt.Appendf(nil, "rgb(%d, %d, %d)", c>>16, c>>8&0xff, c&0xff)); got != c {
			t.Errorf("rgb of %06x is read as %06x", uint32(c), uint32(got))
		}
		if !c.near(c) {
			t.Errorf("%06x is not near itself", uint32(c))
		}
	})
}

// FuzzStyleSheet reads style sheets. A rule behind whatever is complete counts.
func FuzzStyleSheet(f *testing.F) {
	for _, seed := range []string{
		".x{display:none}", "@media print{.x{color:red}}", "/* } */ p.x, #y { font-size: 0 }", "@import url(x);.a{}", "<!-- a{b:c} -->", "}{;:", "a{b:url(;}",
	} {
		f.Add(seed)
	}
	d := NewDecoder(Options{})
	f.Fuzz(func(t *testing.T, css string) {
		clear(d.rules)
		d.sheet([]byte(css))
		d.msg.Links, d.links = d.msg.Links[:0], d.links[:0]
		if len(d.rules) > maxRules {
			t.Errorf("%d rules are kept", len(d.rules))
		}
		for selector := range d.rules {
			if len(selector) > maxSelector || strings.ContainsAny(selector, " >+~:[*,{}") {
				t.Errorf("a rule for %q is kept", selector)
			}
		}
		kept := len(d.rules)
		clear(d.rules)
		d.sheet([]byte(".first{display:none}" + css))
		if s, known := d.rules[".first"]; !known || len(d.rules) < kept && kept < maxRules || s == newStyle() {
			t.Errorf("the rule before %q is lost", css)
		}
	})
}
