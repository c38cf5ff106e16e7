package message_test

import (
	"bytes"
	"compress/flate"
	"fmt"
	"strings"
	"testing"
	"time"

	"chaff/message"
	"chaff/test/lineartest"
)

const (
	grain    = 3 * time.Millisecond // a difference below that is noise
	attempts = 4                    // on a busy machine the first one may fail; too much work fails always
)

// TestWorkIsLinearInTheSizeOfHostileMail decodes shapes of mail made to be slow.
func TestWorkIsLinearInTheSizeOfHostileMail(t *testing.T) {
	fill := func(head, unit, tail string) func(int) string {
		return func(size int) string { return head + strings.Repeat(unit, size/len(unit)) + tail }
	}
	const (
		html  = "Content-Type: text/html\n\n"
		qp    = "Content-Transfer-Encoding: quoted-printable\n\n"
		b64   = "Content-Transfer-Encoding: base64\n\n"
		uu    = "Content-Transfer-Encoding: uuencode\n\n"
		mixed = "Content-Type: multipart/mixed; boundary=b\n\n"

		calendar = "Content-Type: text/calendar\n\n"
		pdf      = "Content-Type: application/pdf\n\n%PDF-1.4\n"
	)
	shapes := []struct {
		name string
		make func(size int) string
	}{
		{"multiparts in multiparts", func(size int) string {
			var s strings.Builder
			for i := 0; s.Len() < size; i++ {
				fmt.Fprintf(&s, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
			}
			return s.String()
		}},
		{"messages in messages", fill("", "Content-Type: message/rfc822\n\n", "text")},
		{"encoded messages in messages", fill("", "Content-Type: message/rfc822\n"+qp, "text")},
		{"a boundary in each other line", fill(mixed, "--b\n\nThe text of a part, which is one line.\n", "")},
		{"an open multipart after each boundary", fill(mixed, "--b\n"+mixed, "")},
		{"lines that could be a boundary", fill(mixed, "--\n--b-\n--bb\n", "")},
		{"multiparts without parts", fill(mixed, "--b\nContent-Type: multipart/mixed; boundary=never\n\n", "")},
		{"bare CR", fill("", "\r", "")},
		{"header lines without colon", fill("", "x\n", "")},
		{"header lines that nearly end the header", fill("", "x\nx\nx\nx\nx\nx\nx\nA: b\n", "")},
		{"folds", fill("A: b\n", " \n", "")},
		{"encoded words", fill("A: ", "=?utf-8?q?a?= ", "\n")},
		{"encoded words that never end", fill("A: ", "=?utf-8?q?a ", "\n")},
		{"encoded words of new charsets", func(size int) string {
			var s strings.Builder
			s.WriteString("A: ")
			for i := 0; s.Len() < size; i++ {
				fmt.Fprintf(&s, "=?x-%d?q?=FC?=", i)
			}
			return s.String()
		}},
		{"parameters", fill("Content-Type: text/plain", ";name*0=a", "\n\n")},
		{"quotes that never end", fill("Content-Type: text/plain", `;a="\"`, "\n\n")},
		{"escapes", fill(qp, "=", "")},
		{"soft line ends", fill(qp, "=   ", "")},
		{"padding", fill(b64, "A=", "")},
		{"base64 that is none", fill(b64, "AAAA AAAA\n?????\n", "")},
		{"base64 with lines that are none", fill(b64, "?\nAAAAAAAAAAAAAAAA\n", "")},
		{"attached headers", fill("", "A: b\nContent-Type: message/rfc822\n\n", "")},
		{"encoded multiparts in multiparts", fill("", "Content-Type: multipart/mixed; boundary=b\n"+qp, "--b\n")},
		{"multiparts whose boundary has too many hyphens", fill(mixed, "--b\nContent-Type: multipart/mixed; boundary=--c\n\n", "")},
		{"boundaries in hyphens", fill(mixed, "------b\n", "")},
		{"pieces from the last to the first", func(size int) string {
			var s strings.Builder
			s.WriteString("Content-Type: text/plain")
			for i := size / 16; i > 0; i-- {
				fmt.Fprintf(&s, "; name*%d*=%%61", i)
			}
			return s.String()
		}},
		{"comments", fill("Content-Type: text/plain;", "(", "\n\n")},
		{"schemes without slashes", fill("\n", "http:", "")},
		{"schemes and backslashes", fill("\n", `http:\`, "")},
		{"backslashes behind a scheme", fill("\nhttp:", `\`, "")},
		{"hosts beyond ASCII that end in none", fill("\n", "http://aé", "")},
		{"one long host beyond ASCII", fill("\nhttp://", "é.", "")},
		{"relative links on a page with a long base", fill(html+"<base href=http://"+strings.Repeat("a", 2000)+">", "<a href=x>", "")},
		{"links whose user is long", fill(html, "<a href=http://"+strings.Repeat("a", 3000)+"@b>", "")},
		{"candidates of a set of images", fill(html+"<img srcset='", "a,b 1x,", "'>")},
		{"comments in comments", fill("Content-Type: text/plain", ";((((((((()", "\n\n")},
		{"files in a text", fill("\n`\n", "begin 644 a\n#86)C\n", "")},
		{"files that never start", fill("\n`\n", "begin 644 a\n", "")},
		{"uuencode with damaged lines", fill(uu, "begin 644 a\n#86)C\n?\n", "")},
		{"lines of uuencode in lower case", fill("\n`\nbegin 644 a\n#86)C\n", "x\n#86)C\n", "")},
		{"plus signs", fill("Content-Type: text/plain; charset=utf-7\n\n", "+", "")},
		{"long runs of UTF-7", fill("Content-Type: text/plain; charset=utf-7\n\n+", "A", "")},
		{"short runs of UTF-7", fill("Content-Type: text/plain; charset=utf-7\n\n", "+A ", "")},
		{"shifts", fill("Content-Type: text/plain; charset=iso-2022-kr\n\n", "\x0e\x1b$)C\x0f", "")},
		{"bytes beyond ASCII", fill("\n", "\xff \xe4", "")},
		{"fields beyond ASCII", fill("", "A: \xff\xe4\n", "")},
		{"encoded words beyond ASCII", fill("A: ", "=?x?q?=FF?= =?y?q?=FF?= ", "\n")},
		{"angle brackets", fill(html, "<", "")},
		{"tags that never end", fill(html, "<a ", "")},
		{"tags with an open quote", fill(html, `<a '"><b "><c '>`, "")},
		{"tags that open a quote around the next tag", fill(html, `<a b='>' c="`, "")},
		{"comments that never end", fill(html, "<!-- >", "")},
		{"comments at once", fill(html, "<!-->", "")},
		{"scripts that never end", fill(html, "<script><!--", "")},
		{"scripts in a script", fill(html+"<script>", "<!--<script></script", "")},
		{"ampersands", fill(html, "&", "")},
		{"half entities", fill(html, "&notanentity", "")},
		{"attributes", fill(html+"<a ", "href=x ", ">")},
		{"new attributes", func(size int) string {
			var s strings.Builder
			s.WriteString(html + "<a ")
			for i := 0; s.Len() < size; i++ {
				fmt.Fprintf(&s, "a%d ", i)
			}
			return s.String() + ">"
		}},
		{"tags with many attributes", fill(html, "<a "+strings.Repeat("b=&lt; c d ", 80)+">", "")},
		{"quotes that stay open", fill(html, "<a b='", "")},
		{"links that are full of entities", fill(html+"<a href='", "&amp;", "'>")},
		{"elements in elements", fill(html, "<div>", "")},
		{"elements in elements, closed", fill(html, "<div><table><td>", "</div>")},
		{"ends without a start", fill(html+strings.Repeat("<i>", 300), "</u>", "")},
		{"rows that end nothing", fill(html+strings.Repeat("<i>", 300), "<td></td><li><p>", "")},
		{"hidden elements in elements", fill(html, "<p hidden><i style=font-size:0>a", "")},
		{"a huge style", fill(html+"<a style='", "color:#fff;", "'>")},
		{"a style with open parentheses", fill(html+"<a style='", "a:(;", "'>")},
		{"a style of comments", fill(html+"<a style='", "/**/", "'>")},
		{"a style with open comments", fill(html+"<a style='", "/*", "'>")},
		{"a style of links", fill(html+"<a style='", "url(", "'>")},
		{"many styles", fill(html, "<a style='color:red;background:url(x) #fff'>", "")},
		{"many classes", fill(html+"<style>.a{color:red}</style>", "<a class='"+strings.Repeat("a ", 400)+"'>", "")},
		{"many rules and many elements", func(size int) string {
			var s strings.Builder
			s.WriteString(html + "<style>")
			for i := 0; s.Len() < size/2; i++ {
				fmt.Fprintf(&s, ".c%d{color:red}", i)
			}
			return s.String() + "</style>" + strings.Repeat("<i class='c1 c2 c3'>", size/40)
		}},
		{"many style sheets", fill(html, "<style>p{color:red}</style>", "")},
		{"a style sheet of selectors", fill(html+"<style>", "p,", "{color:red}</style>")},
		{"a style sheet of braces", fill(html+"<style>", "{", "</style>")},
		{"a style sheet of open blocks", fill(html+"<style>", "@a{", "</style>")},
		{"a style sheet of comment marks", fill(html+"<style>", "<!---->", "</style>")},
		{"a style sheet of brackets", fill(html+"<style>", "a[", "</style>")},
		{"a style sheet of quotes", fill(html+"<style>", "a{b:'", "</style>")},
		{"a style sheet of :not", fill(html+"<style>a", ":not(", "{color:red}</style>")},
		{"a style sheet of lists in :is", fill(html+"<style>", ":is(a,:is(b,c),:not(d)) ", "{color:red}</style>")},
		{"a style sheet of combinators", fill(html+"<style>", "a > ", "b{color:red}</style>")},
		{"a style sheet of rules in rules", fill(html+"<style>", "a,b{&c,&d{", "</style>")},
		{"a style sheet of rules beside rules in a rule", fill(html+"<style>a,b,c{", "&d{e:f}", "</style>")},
		{"a style sheet of rules in a rule for a long name", func(size int) string {
			return html + "<style>" + strings.Repeat("a", size/2) + "{" + strings.Repeat("&b{color:red}", size/26) + "}</style>"
		}},
		{"a style sheet of media in a rule for a long name", func(size int) string {
			return html + "<style>" + strings.Repeat("a", size/2) + "{" + strings.Repeat("@media all{color:red}", size/42) + "}</style>"
		}},
		{"a style sheet of variables", fill(html+"<style>", "--a:var(--a)var(--a);", "</style>"+strings.Repeat("<p style=color:var(--a)>", 1000))},
		{"a style sheet of escapes", fill(html+"<style>", `\61`, "{color:red}</style>")},
		{"a style sheet of media", fill(html+"<style>", "@media (a) and (not (b)){p{color:red}}", "</style>")},
		{"rules for anything and elements", fill(html+"<style>"+strings.Repeat("* > *:not(.a) + *{color:red}", 200)+"</style>", "<i>", "")},
		{"rules that look about in deep elements", fill(html+"<style>"+strings.Repeat("i i i i i i i i b{color:red}", 50)+"</style>", "<i>", "<b>")},
		{"conditions of long values", fill(html+"<style>"+strings.Repeat("[title*=ab]{color:red}", 900)+"</style><p title='", "a", "'>")},
		{"style sheets behind their elements", fill(html, "<p>a<style>p{color:red}</style>", "")},
		{"a style sheet of gradients", fill(html+"<style>p{background:", "linear-gradient(rgb(1,2,3)", "}</style>")},
		{"calculations", fill(html+"<p style='", "width:calc(1*(1*(1*(1;", "'>")},
		{"turns", fill(html, "<bdo dir=rtl>a<bdo dir=ltr>b", "")},
		{"turns side by side", fill(html, "<bdo dir=rtl>a</bdo>", "")},
		{"tables", fill(html, "<table><tr><td>a<td>b<td>c</table>", "")},
		{"a table", fill(html+"<table>", "<tr><td>a<td>b<td>c", "</table>")},
		{"closed details", fill(html, "<details><summary>a", "")},
		{"colours", fill(html, "<font color=#fff>a<font color=red>b", "")},
		{"soft hyphens", fill(html, "\u00ad", "")},
		{"letters by their numbers", fill(html, "&#33", "")},
		{"references", fill(html, "&nbsp;", "")},
		{"references to nothing", func(size int) string {
			var s strings.Builder
			s.WriteString(html)
			for i := 0; s.Len() < size; i++ {
				fmt.Fprintf(&s, "&x%d;", i)
			}
			return s.String()
		}},
		{"a reference without an end", fill(html+"&", "a", "")},
		{"scripts in scripts", fill(html, "<script><script></script>", "")},
		{"elements that nobody uses", fill(html, "<xmp></xmp>", "")},
		{"tags without an end", fill(html, "<a b='><a b=\">", "")},
		{"breaks in words", fill(html, "a<wbr>", "")},
		{"comments in words", fill(html, "a<!x>", "")},
		{"links in links", fill(html, "<a href=x>a ", "")},
		{"links around much text", fill(html, "<a href=x>", " ")},
		{"pages that go on", fill(html, "<meta http-equiv=refresh content=;url=x>", "")},
		{"pictures in sets", fill(html+"<img srcset='", "a, ", "'>")},
		{"frames", fill(html, "<iframe srcdoc=a>", "")},
		{"frames in frames", fill(html, "<iframe/srcdoc=", "")},
		{"frames in frames, escaped", fill(html, "<iframe/srcdoc=&gt;", "")},
		{"hidden frames", fill(html, "<iframe hidden srcdoc='a b'>", "")},
		{"properties", fill(calendar, "SUMMARY:</\n", "")},
		{"folded properties", fill(calendar, "SUMMARY:a\n b\n", "")},
		{"a folded property", fill(calendar+"SUMMARY:a", "\n b", "")},
		{"values with a style sheet", fill(calendar, "SUMMARY:<style>p{color:red}</style>\n", "")},
		{"objects", fill(pdf, "1 0 obj", "")},
		{"objects that end", fill(pdf, "1 0 obj<</A 1 0 R>>endobj ", "")},
		{"streams that never end", fill(pdf, "1 0 obj stream ", "")},
		{"streams", fill(pdf, "1 0 obj<<>>stream\nBT(a)Tj ET endstream ", "")},
		{"fonts", fill(pdf, "1 0 obj<</ToUnicode 1 0 R/F 1 0 R>>stream\nBT/F 1 Tf(a)Tj ET endstream ", "")},
		{"fonts of many names", func(size int) string {
			var s strings.Builder
			s.WriteString(pdf)
			for i := 0; s.Len() < size/2; i++ {
				fmt.Fprintf(&s, "%d 0 obj<</ToUnicode %d 0 R/F%d %d 0 R>>endobj ", i, i+1, i, i)
			}
			s.WriteString("1 0 obj<<>>stream\nBT ")
			for i := 0; s.Len() < size; i++ {
				fmt.Fprintf(&s, "/F%d 1 Tf(a)Tj ", i)
			}
			return s.String() + "endstream"
		}},
		{"a long name of a font for many operators", func(size int) string {
			return manyFonts(pdf) + "1 0 obj<<>>stream\nBT /" + strings.Repeat("a", size/2) + strings.Repeat(" Tf", size/6) + " endstream"
		}},
		{"objects in brackets", fill(pdf+"1 0 obj", "<<", "")},
		{"strings in strings", fill(pdf+"1 0 obj", "(", "")},
		{"names", fill(pdf+"1 0 obj<<", "/#41", "")},
		{"pictures in content", fill(pdf+"1 0 obj<<>>stream\nBT ", "ID EI ", "endstream")},
		{"glyphs", fill(pdf+"1 0 obj<<>>stream\nBT ", "(a)Tj 1 0 Td ", "endstream")},
		{"zeros in base 85", fill(pdf+"1 0 obj<</Filter[/A85/A85/A85/A85]>>stream\n", "z", "~>endstream")},
		{"streams that unpack to much", fill(pdf, "1 0 obj<</Filter/Fl>>stream\n"+deflated(1<<16)+"endstream ", "")},
		{"messages as files", fill("", "Content-Type: application/octet-stream\nSubject: a\n\n", "text")},
		{"two types at each level", fill("", "Content-Type: message/rfc822\nContent-Type: message/global\n\n", "text")},
		{"two encodings at each level", fill("", "Content-Type: message/rfc822\nContent-Transfer-Encoding: 7bit\n"+qp, "text")},
		{"two boundaries at each level", func(size int) string {
			var s strings.Builder
			for i := 0; s.Len() < size; i++ {
				fmt.Fprintf(&s, "Content-Type: multipart/mixed; boundary=a%d; boundary=b%d\n\n--a%d\n--b%d\n", i, i, i, i)
			}
			return s.String()
		}},
		{"schemes", fill("\n", "://", "")},
		{"links", fill("\n", "a://b ", "")},
		{"long schemes", fill("\n", "aaaaaaaaaaaaaaaaaaaaaaaa:", "")},
		{"hosts", fill("\n", "www.", "")},
	}
	options := message.DefaultOptions()
	options.MaxHeaderBytes = 16 << 20
	options.MaxParts = 1 << 20
	d := message.NewDecoder(options)
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			lineartest.Check(t, func(size int) func() {
				raw := []byte(shape.make(size))
				return func() { d.Decode(raw) }
			})
		})
	}
}

// manyFonts returns a PDF with enough fonts for a search by hash.
func manyFonts(head string) string {
	for i := range 20 {
		head += fmt.Sprintf("%d 0 obj<</Type/Font/F%d %d 0 R>>endobj ", i, i, i)
	}
	return head
}

// What style sheets ask for is counted in the work that it takes, and cut when it becomes too much for the size of the page.
func TestWorkForStyleSheetsIsCounted(t *testing.T) {
	const html = "Content-Type: text/html\n\n"
	repeat := strings.Repeat
	rules := func(n int, selector string) string { return "<style>" + repeat(selector+"{color:red}", n) + "</style>" }
	for name, page := range map[string]string{
		"rules for one class":          rules(900, ".a") + repeat("<p class=a>", 100),
		"classes of an element":        rules(200, ".a") + repeat("<p class='"+repeat("a ", 500)+"'>", 100),
		"long classes":                 rules(200, "p.b") + repeat("<p class='"+repeat("b ", 500)+"'>", 100),
		"declarations of many rules":   "<style>" + repeat("p{color:red;width:0;height:0;opacity:0;zoom:2}", 100) + "</style>" + repeat("<p>", 1000),
		"rules for the element around": rules(200, "p i") + repeat("<p><i>", 1000),
	} {
		m := message.NewDecoder(message.DefaultOptions()).Decode([]byte(html + page))
		if !m.Repairs.Has(message.CutStyles) {
			t.Errorf("%s: not cut", name)
		}
	}
	page := rules(20, "div p.a") + repeat("<p class='a b'>some words of a text</p>", 100)
	if m := message.NewDecoder(message.DefaultOptions()).Decode([]byte(html + page)); m.Repairs.Has(message.CutStyles) {
		t.Error("an ordinary page: cut")
	}
}

// deflated returns a content of PDF, packed with zlib, that shows size blanks.
func deflated(size int) string { return deflatedText("BT (" + strings.Repeat(" ", size) + ") Tj ET") }

func deflatedText(text string) string {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		panic(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return "\x78\x9c" + packed.String()
}

// A decoder keeps what it needed for the attributes of the largest tag.
func TestAHugeTagDoesNotSlowDownTheTagsAfterIt(t *testing.T) {
	const html = "Content-Type: text/html\n\n"
	var tag strings.Builder
	tag.WriteString("<a")
	for i := range 100_000 {
		fmt.Fprintf(&tag, " %d", i)
	}
	tag.WriteString(">")
	small := strings.Repeat("<i b>", 100_000)
	d := message.NewDecoder(message.DefaultOptions())
	apart, joined := timeOf(d, html+tag.String())+timeOf(d, html+small), time.Hour
	for range 3 * attempts {
		joined = min(joined, lineartest.Time(func() { d.Decode([]byte(html + tag.String() + small)) }))
		if joined <= 3*apart+grain {
			return
		}
	}
	t.Errorf("a huge tag and small ones took %v together, %v apart", joined, apart)
}

// timeOf returns how long a message takes at best.
func timeOf(d *message.Decoder, raw string) time.Duration {
	best := time.Hour
	for range 3 {
		best = min(best, lineartest.Time(func() { d.Decode([]byte(raw)) }))
	}
	return best
}

// Markup inside words is skipped without a copy, so it costs no memory.
func TestMarkupInWordsCostsNoMemory(t *testing.T) {
	const html = "Content-Type: text/html\n\n"
	const growths = 10 // of a buffer
	for _, unit := range []string{"a<!x>", "a<!---->b", "a<wbr>", "a<b></b>", "a<!-- x --><x>", "a&shy;", "a</x>"} {
		counted := func(times int) float64 {
			raw := []byte(html + strings.Repeat(unit, times))
			d := message.NewDecoder(message.DefaultOptions())
			return testing.AllocsPerRun(2, func() { d.Decode(raw) })
		}
		if few, many := counted(1<<10), counted(1<<15); many > few+growths {
			t.Errorf("%s: %v allocations of %d, %v of %d", unit, few, 1<<10, many, 1<<15)
		}
	}
}
