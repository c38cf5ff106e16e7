package message

import (
	"bytes"
	"testing"

	"golang.org/x/net/html"
)

// FuzzTokens holds tokens, their texts and their attributes to those that the tokenizer of x/net/html finds, up to the
// first that is left to it.
func FuzzTokens(f *testing.F) {
	for _, seed := range []string{
		"a<b>b</b>", "a < b <3 &amp; c&notit;&am\rp;", "<a href='x>y' HREF=z\r\n class = \"b\">c</A b='>'>", "<p/a=/><br/ ><br a=b/>",
		"<!-- a -- > b --!>c<!--->d<!---->e<!--!>f-->", "<!DocType html>a<!x>b<?c?>d</>e</ f>g<!>", "a</", "<", "a<", "<!--", "<a b='c",
		"<style>a</styl></STYLE >b", "<style media=print>a</style>", "<script>a<!-- b</script>", "<script>a</script >b", "<script/></script>",
		"<title>a<b>c</title>", "<xmp>a<b></xmp>", "<plaintext>a", "&#169;&#xA9&#0;&#x110000;&#55296;&#150;&#;&#x;&#99999999999;", "<a =b==c>",
		"<a href='?a=1&copy=2&copy;&copyx&notin;&amp'>", "&CounterClockwiseContourIntegral;&abcdefghijklmnopqrstuvwxyzabcdefghijklmnop;",
		"&;&semi;&;&", "<a / / b ='c'd>", "<A\x0cB\x0c=\x0cC\x0c>", "<abcdefghijklmnopqrstuvwxyz>",
		"<style>a", "<script><!--a<b", "<!doctype", "<!docty", "<?a", "</ ", "</a b='", "<!--a>b", "<style>a</style", "<!",
	} {
		f.Add([]byte(seed))
	}
	d := NewDecoder(Options{})
	f.Fuzz(func(t *testing.T, source []byte) {
		if bytes.IndexByte(source, 0) >= 0 {
			return // which no text holds (dropNUL)
		}
		d.hasCR = bytes.IndexByte(source, '\r') >= 0
		z := html.NewTokenizer(bytes.NewReader(source))
		for rest := source; len(rest) > 0; {
			kind, length := d.nextToken(rest)
			raw := rest[:length]
			rest = rest[length:]
			if length > 0 {
				checkToken(t, z, kind, raw)
			}
			switch kind {
			case html.ErrorToken:
				return
			case html.TextToken:
				if got, want := d.unescaped(raw, false), z.Text(); !bytes.Equal(got, want) {
					t.Fatalf("%q: got the text %q, want %q", raw, got, want)
				}
			case html.StartTagToken:
				checkAttributes(t, z, d, raw)
				name := tagName(new([maxTagName]byte), raw[len("<"):])
				if hasShownContent(name) {
					z.NextIsNotRawText()
				}
				content, ok := rawText(source[len(source)-len(rest)-length:], length, name)
				if !ok {
					return
				}
				if len(content) > 0 {
					checkToken(t, z, html.TextToken, content)
					rest = rest[len(content):]
				}
			}
		}
	})
}

// checkToken holds the next token of z to its kind and its bytes.
func checkToken(t *testing.T, z *html.Tokenizer, kind html.TokenType, raw []byte) {
	t.Helper()
	want := z.Next()
	if want == html.SelfClosingTagToken {
		want = html.StartTagToken
	}
	if kind != want || !bytes.Equal(raw, z.Raw()) {
		t.Fatalf("got the token %v %q, want %v %q", kind, raw, want, z.Raw())
	}
}

// checkAttributes holds the attributes that d has found in a tag to those of z.
func checkAttributes(t *testing.T, z *html.Tokenizer, d *Decoder, raw []byte) {
	t.Helper()
	given := d.given
	for more := true; more; {
		var key, want []byte
		key, want, more = z.TagAttr()
		if attributeOf(key) == noAttribute {
			continue
		}
		if len(given) == 0 || given[0].key != attributeOf(key) {
			t.Fatalf("%q: got the attributes %v, want %s first", raw, given, key)
		}
		if got := d.unescaped(given[0].raw, true); !bytes.Equal(got, want) {
			t.Fatalf("%q: got %s=%q, want %q", raw, key, got, want)
		}
		given = given[1:]
	}
	if len(given) > 0 {
		t.Fatalf("%q: got the attributes %v too much", raw, given)
	}
}
