package message

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestWhereAScriptEnds(t *testing.T) {
	for _, c := range []struct{ name, content, after string }{
		{"script", "a<b", "</SCRIPT >c"},
		{"script", "a</scripts>", "</script\n>"},
		{"script", "<!-- a", "</script>-->"},
		{"script", "<!--<script></script>a", "</script>b"},
		{"script", "<!--<script>-->", "</script></script>"},
		{"script", "<!--><script>", "</script></script>"},
		{"script", "<!--<scripts>", "</script></script>"},
		{"script", "<script>", "</script></script>"},
		{"script", "<!--<script></script", ""},
		{"style", "<!--<style>", "</style></style>"},
		{"xmp", "<!--<b>", "</xmp/>"},
		{"plaintext", "a</plaintext>", ""},
	} {
		if got := rawLength([]byte(c.content+c.after), c.name); got != len(c.content) {
			t.Errorf("<%s>%s%s: got %d bytes, want %d", c.name, c.content, c.after, got, len(c.content))
		}
	}
}

// FuzzTokens compares tokens, their texts and their attributes with those that the tokenizer of x/net/html finds. That one is
// not right about comments in scripts.
func FuzzTokens(f *testing.F) {
	for _, seed := range []string{
		"a<b>b</b>", "a < b <3 &amp; c&notit;&am\rp;", "<a href='x>y' HREF=z\r\n class = \"b\">c</A b='>'>", "<p/a=/><br/ ><br a=b/>",
		"<!-- a -- > b --!>c<!--->d<!---->e<!--!>f-->", "<!DocType html>a<!x>b<?c?>d</>e</ f>g<!>", "a</", "<", "a<", "<!--", "<a b='c",
		"<style>a</styl></STYLE >b", "<style media=print>a</style>", "<script>a</script >b", "<script/></script>",
		"<title>a<b>c</title>", "<xmp>a<b>&amp;</xmp>", "<plaintext>a", "&#169;&#xA9&#0;&#x110000;&#55296;&#150;&#;&#x;&#99999999999;", "<a href==b==c>",
		"<a href='?a=1&copy=2&copy;&copyx&notin;&amp'>", "&CounterClockwiseContourIntegral;&abcdefghijklmnopqrstuvwxyzabcdefghijklmnop;",
		"&;&semi;&;&", "<a / / id ='c'dir>", "<A\x0cB\x0c=\x0cC\x0c>", "<abcdefghijklmnopqrstuvwxyz>", "<a id='&semi;&#65b&amp=&lt&fjlig;'>",
		"<style>a", "<!doctype", "<!docty", "<?a", "</ ", "</a b='", "<!--a>b", "<style>a</style", "<!", "&#9&#1", "<a id=1 id=2>",
		"&#0000000000000000000000000000000000000000000000065;",
		"<a id=b/c href=d/>", "<a =\"x>\" id=1>", "<a id='&lt;=&copy;=1'>", "<a id>", "<a id=>", "<a id= '1'>", "<a ID\r=\r'\r\n\r\r'>",
	} {
		f.Add([]byte(seed))
	}
	var s scanner
	f.Fuzz(func(t *testing.T, source []byte) {
		if bytes.IndexByte(source, 0) >= 0 || bytes.HasSuffix(source, []byte("</")) {
			return // HTML has no NUL here, and the tokenizer makes two texts of "a</"
		}
		z := html.NewTokenizer(bytes.NewReader(source))
		for len(source) > 0 {
			kind, length := s.cutToken(source)
			raw := source[:length]
			source = source[length:]
			if kind == openToken { // for the library, an open comment is one
				if want := z.Next(); len(source) > 0 || want != html.ErrorToken && want != html.CommentToken && want != html.DoctypeToken {
					t.Fatalf("got %q, want %v %q", raw, want, z.Raw())
				}
				return
			}
			checkToken(t, z, kind, raw)
			switch kind {
			case textToken:
				s.unescaped = s.unescaped[:0]
				if got, _ := s.replaceReferences(raw, false); !bytes.Equal(got, z.Text()) {
					t.Fatalf("%q: got the text %q", raw, got)
				}
			case startTagToken:
				checkAttributes(t, z, s.attributes, raw)
				name := rawElements[string(tagName(new([maxName]byte), raw[len("<"):]))]
				if name == "" {
					z.NextIsNotRawText()
					continue
				}
				content := source[:rawLength(source, name)]
				if name == "script" && bytes.Contains(content, []byte("<!--")) {
					return
				}
				if source = source[len(content):]; len(content) > 0 {
					checkToken(t, z, textToken, content)
				}
			}
		}
	})
}

// checkToken compares a token with the next one of z.
func checkToken(t *testing.T, z *html.Tokenizer, kind tokenKind, raw []byte) {
	t.Helper()
	library := map[html.TokenType]tokenKind{
		html.TextToken: textToken, html.StartTagToken: startTagToken, html.SelfClosingTagToken: startTagToken,
		html.EndTagToken: endTagToken, html.CommentToken: commentToken, html.DoctypeToken: commentToken,
	}
	if want := z.Next(); library[want] != kind || !bytes.Equal(raw, z.Raw()) {
		t.Fatalf("got a token of kind %d, %q, want %v %q", kind, raw, want, z.Raw())
	}
}

// checkAttributes compares the attributes of a tag with those of z.
func checkAttributes(t *testing.T, z *html.Tokenizer, attributes []attribute, raw []byte) {
	t.Helper()
	var got, want strings.Builder
	for _, a := range attributes {
		got.WriteString(string(a.name) + "=" + string(a.value) + "\n")
	}
	for more := true; more; {
		var name, value []byte
		if name, value, more = z.TagAttr(); isUsed(name) {
			want.WriteString(string(name) + "=" + string(value) + "\n")
		}
	}
	if got.String() != want.String() {
		t.Fatalf("%q: got the attributes %q, want %q", raw, got.String(), want.String())
	}
}
