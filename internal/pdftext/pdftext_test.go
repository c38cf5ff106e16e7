package pdftext_test

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"chaff/internal/pdftext"
)

// pdf returns a PDF with that content on a page, and other objects.
func pdf(content, objects string) string {
	return "%PDF-1.4\n1 0 obj<<>>stream\n" + content + "\nendstream endobj\n" + objects
}

// extract returns what Extract finds in a PDF, and checks that it stays within its limits.
func extract(t *testing.T, pdf string) (text, hidden string, links []string) {
	t.Helper()
	limits := pdftext.Limits{Text: 4000, Packed: 512 << 10, Unpacked: 1 << 20}
	shown, notShown := pdftext.Extract(slices.Clip([]byte(pdf)), &limits, func(uri []byte) { links = append(links, string(uri)) })
	if limits.Packed < 0 || limits.Unpacked < 0 || len(shown)+len(notShown) > limits.Text+100 {
		t.Errorf("%d and %d bytes of text, limits left %+v", len(shown), len(notShown), limits)
	}
	if !utf8.Valid(shown) || !utf8.Valid(notShown) {
		t.Errorf("%q and %q are not valid UTF-8", shown, notShown)
	}
	return string(shown), string(notShown), links
}

// words returns a text with one blank between words.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

func deflated(text string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

func TestWhatIsShownOfAPDF(t *testing.T) {
	font := func(subtype, glyphMap string) string {
		return "2 0 obj<</XObject<</F1 1 0 R>>/Font<</F1 3 0 R>>>>endobj 3 0 obj<</Subtype/" + subtype + "/ToUnicode 4 0 R>>endobj\n" +
			"4 0 obj<<>>stream\n" + glyphMap + "\nendstream endobj\n"
	}
	const wideFont = "3 0 obj<</Type/Font/Subtype/Type0>>endobj "
	longName := strings.Repeat("F", 127)
	tests := []struct{ name, content, objects, texts, urls string }{
		{"text outside of text objects", "(a) Tj", "", "", ""},
		{"a line", "BT (Pay now) Tj ET", "", "Pay now", ""},
		{"escapes", `BT (a\(b\)\143\
 (d) \\) Tj ET`, "", `a(b)c (d) \`, ""},
		{"escapes of two digits", `BT (\53!\538) Tj ET`, "", "+!+8", ""},
		{"hexadecimal digits", "BT <50 61 7> Tj ET", "", "Pap", ""},
		{"windows-1252", "BT (caf\\351 \\200) Tj ET", "", "café €", ""},
		{"kerning and a gap", "BT [(P)-20(ay)-300(now)] TJ ET", "", "Pay now", ""},
		{"lines", "BT (a) Tj T* (b) Tj (c) ' 1 1 (d) \" ET", "", "a b c d", ""},
		{"many line ends and hidden text", "BT (a) Tj 3 Tr (c) Tj 0 Tr" + strings.Repeat(" T*", 5000) + "(b) Tj 3 Tr (d) Tj ET", "", "a b c d", ""},
		{"operators without operands", "BT Tf Tr Td Tm cm Q g (a) Tj ET", "", "a", ""},
		{"numbers have no exponent", "BT /F 10 Tf (a) Tj /F 1e-1 Tf (b) Tj ET", "", "ab", ""},
		{"more operands than an operator has", "BT 0 1 0 0 1 0 0 cm (a) Tj ET", "", "a", ""},
		{"each glyph placed", "BT /F 10 Tf (P) Tj 6 0 Td (a) Tj 5 0 Td (y) Tj 14 0 Td (n) Tj ET", "", "Pay n", ""},
		{"each glyph in a text object", "BT /F 1 Tf 10 0 0 10 5 5 Tm (P) Tj ET BT 10 0 0 10 11 5 Tm (a) Tj ET BT 10 0 0 10 11 50 Tm (b) Tj ET", "", "Pa b", ""},
		{"words placed", "BT /F 10 Tf (Pay) Tj 20 0 Td (now) Tj 0 -12 Td (here) Tj ET", "", "Pay now here", ""},
		{"parts of words placed, and blanks shown", "BT /F 10 Tf (a ) Tj 12 0 Td (moo) Tj 18 0 Td (no) Tj 40 0 Td (b) Tj ET", "", "a moono b", ""},
		{"the next glyph on another line", "BT /F 10 Tf (P) Tj 6 -20 Td (a) Tj ET", "", "P a", ""},
		{"an empty string between words", "BT /F 10 Tf (P) Tj 6 0 Td () Tj 20 0 Td (a) Tj ET", "", "P a", ""},
		{"strings that are not shown", "BT /F 10 Tf (y) Tj /Span <</ActualText (no)>> BDC 6 0 Td (es) Tj (no) pop ET (no)", "", "yes", ""},
		{"a font with a map", "BT /F1 12 Tf <0101001100100021000200000004> Tj ET", font("Type0", "/X [(no)] 1 begincodespacerange <0000> <FFFF> endcodespacerange "+
			"2 beginbfchar <0101> <0050> <0002> <00660069> <0003> <> <0004> <"+strings.Repeat("0078", 9)+"> endbfchar "+
			"2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<0079> <0020>] endbfrange"), "Pba fixxxxxxxx", ""},
		{"codes of one byte", "BT /F1 12 Tf (A) Tj ET", font("Type1", "1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <41> <0050> endbfchar"), "P", ""},
		{"a map that is read once, with the first glyphs", "BT /F1 12 Tf /F1 12 Tf (\001) Tj ET",
			font("Type1", "1 beginbfrange <0000> <ffff> <0041> endbfrange 1 beginbfchar <01> <0050> endbfchar"), "B", ""},
		{"an empty map", "BT /F1 12 Tf (ab) Tj ET", font("Type1", ""), "ab", ""},
		{"a wide font without a map", "BT /F1 12 Tf (ab) Tj ET", "2 0 obj<</F1 3 0 R>>endobj " + wideFont, "", ""},
		{"the first font of a name", "BT /F1 12 Tf (ab) Tj ET", "2 0 obj<</F1 4 0 R/F1 3 0 R>>endobj 4 0 obj<</Type/Font>>endobj " + wideFont, "ab", ""},
		{"the start of a long name", "BT /" + longName + "a 12 Tf (ab) Tj ET", "2 0 obj<</" + longName + "b 3 0 R>>endobj " + wideFont, "", ""},
		{"a name behind too many references", "BT /F1 12 Tf (ab) Tj ET", "2 0 obj<<" + strings.Repeat("/A 1 0 R", 1<<15) + "/F1 3 0 R>>endobj " + wideFont, "ab", ""},
		{"a font among packed objects", "BT /F1 12 Tf (ab) Tj ET", "2 0 obj<</F1 6 0 R>>endobj 3 0 obj<</Type/ObjStm/First 8>>stream\n" +
			"5 0 6 4 <<>><</Type/Font/Subtype/Type0>>", "", ""},
		{"a name behind too many packed objects", "BT /F1 12 Tf (ab) Tj ET", "2 0 obj<</F1 7 0 R>>endobj 3 0 obj<</Type/ObjStm/First " +
			fmt.Sprint(4<<15+4) + ">>stream\n" + strings.Repeat("1 0 ", 1<<15) + "7 0 <</Type/Font/Subtype/Type0>>", "ab", ""},
		{"a picture in the content", "BT (a) Tj ET BI /W 1 ID (((( EI BT (b) Tj ET", "", "a b", ""},
		{"a picture that does not end", "BT (a) Tj BI /W 1 ID (b) Tj ET", "", "a", ""},
		{"comments", "BT % (no) Tj\n (a) Tj ET", "", "a", ""},
		{"names with escapes", "", "2 0 obj<</T(no)/S/#55RI/#55#52#49(http://\\\r\npay.example/)>>", "", "http://pay.example/"},
		{"a link in an encrypted PDF", "", "2 0 obj<</URI(\x90abc)/URI(\x01abc)>>", "", ""},
		{"content that says it is a font", "", "2 0 obj<</Contents[3 0 R 9 0 R]>>endobj 3 0 obj<</Length1 5>>stream\nBT (a) Tj ET\nendstream endobj", "a", ""},
		{"a picture", "", "2 0 obj<</X 3 0 R>>endobj 3 0 obj<</Subtype/Image/Metadata 2 0 R/Filter/Fl>>stream\n" + deflated("BT (a) Tj ET") + "\nendstream", "", ""},
		{"metadata", "", "3 0 obj<</Type/Metadata>>stream\nBT (a) Tj ET\nendstream endobj", "", ""},
		{"packed content", "", "3 0 obj<</DecodeParms<</Columns 1>>/Filter/FlateDecode>>stream\n" + deflated("BT (Pay now) Tj ET") + "\nendstream endobj", "Pay now", ""},
		{"packed content that is cut off", "", "3 0 obj<</Filter[/Fl]>>stream\n" + deflated("BT (Pay now) Tj ET")[:18], "Pay now", ""},
		{"content in hexadecimal digits is not read", "", "3 0 obj<</Filter/AHx>>stream\n425428612920546a>\nendstream endobj", "", ""},
		{"content in base 85", "", "3 0 obj<</Filter[/ASCII85Decode/FlateDecode]>>stream\n" + base85(deflated("BT (Pay) Tj ET")) +
			"~>\nendstream endobj", "Pay", ""},
		{"content behind too many filters", "", "3 0 obj<</Filter[" + strings.Repeat("/A85", 5) + "]>>stream\n" +
			base85(base85(base85(base85(base85("BT (Pay) Tj ET"))))) + "\nendstream", "", ""},
		{"packed objects", "", "3 0 obj<</Type/ObjStm/N 2/First 10/Filter/Fl>>stream\n" +
			deflated("5 0 6 4   <<>><</URI(http://pay.example/)>>/F BT (no) Tj ET") + "\nendstream endobj", "", "http://pay.example/"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, hidden, links := extract(t, pdf(test.content, test.objects))
			if got := words(text + hidden); got != test.texts {
				t.Errorf("got text %q, want %q", got, test.texts)
			}
			if got := strings.Join(links, " "); got != test.urls {
				t.Errorf("got links %q, want %q", got, test.urls)
			}
		})
	}
}

func base85(text string) string {
	encoded := make([]byte, ascii85.MaxEncodedLen(len(text)))
	return string(encoded[:ascii85.Encode(encoded, []byte(text))])
}

func TestInvisibleTextOfAPDFIsHidden(t *testing.T) {
	tests := []struct{ name, content string }{
		{"not drawn", "BT (Pay) Tj 3 Tr (moon) Tj 0 Tr (now) Tj ET"},
		{"only for clipping", "BT (Pay) Tj 7 Tr (moon) Tj 0 Tr (now) Tj ET"},
		{"small letters", "BT /F 12 Tf (Pay) Tj /F 3 Tf (moon) Tj /F 12 Tf (now) Tj ET"},
		{"small by its matrix", "BT /F 12 Tf (Pay) Tj .1 0 0 .1 0 0 Tm (moon) Tj 1 0 0 1 50 0 Tm (now) Tj ET"},
		{"a small page", "BT /F 12 Tf (Pay) Tj ET q .1 0 0 .1 0 0 cm BT (moon) Tj ET Q BT (now) Tj ET"},
		{"nearly white", "BT 0 g (Pay) Tj .9 g (moon) Tj 1 g (now) Tj ET"},
		{"operators beside brackets", "BT 0 g[(Pay)]TJ .9 g[(moon)]TJ 1 g[(now)]TJ ET"},
		{"light grey", "BT 0 0 0 rg (Pay) Tj .88 .88 .88 rg (moon) Tj 0 0 1 sc (now) Tj ET"},
		{"light ink", "BT 0 0 0 1 k (Pay) Tj 0 0 0.1 0 k (moon) Tj 0 0 0 1 k (now) Tj ET"},
		{"light until it is restored", "BT (Pay) Tj ET q .9 g BT (moon) Tj ET Q Q BT (now) Tj ET"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, hidden, _ := extract(t, pdf(test.content, ""))
			if words(text) != "Pay now" || words(hidden) != "moon" {
				t.Errorf("got text %q, hidden %q", text, hidden)
			}
		})
	}
}

// A sender can make streams that take long to unpack, and that unpack to nothing.
func TestOnlySoMuchOfPDFsIsUnpacked(t *testing.T) {
	random := rand.NewChaCha8([32]byte{})
	noise := make([]byte, 32<<10)
	random.Read(noise)
	for streams, want := range map[int]string{10: "Pay", 20: ""} {
		stream := "1 0 obj<</Filter/Fl>>stream\n" + deflated(string(noise)) + "\nendstream endobj\n"
		packed := "1 0 obj<</Filter/Fl>>stream\n" + deflated("BT (Pay) Tj ET") + "\nendstream"
		text, _, _ := extract(t, pdf("", strings.Repeat(stream, streams)+packed))
		if got := words(text); got != want {
			t.Errorf("behind %d streams of %d bytes: got %q, want %q", streams, len(noise), got, want)
		}
	}
}

func TestLimitsOfPDFsHold(t *testing.T) {
	for name, pdf := range map[string]string{
		"a long text":        pdf("BT ("+strings.Repeat("a", 9000)+") Tj ET", ""),
		"lines without text": pdf("BT"+strings.Repeat(" () '", 9000)+" ET", ""),
		"zeros in base 85":   pdf("", "3 0 obj<</Filter/A85>>stream\n"+strings.Repeat("z", 1<<20)),
		"many objects":       strings.Repeat("1 0 obj endobj ", 1<<15) + "2 0 obj<</URI(no)>>",
	} {
		if _, _, links := extract(t, pdf); len(links) > 0 {
			t.Errorf("%s: got the links %q", name, links)
		}
	}
	limits := pdftext.Limits{Packed: 99, Unpacked: 99}
	text, _ := pdftext.Extract([]byte(pdf("BT (Pay) Tj ET", "3 0 obj<</Filter/Fl>>stream\n"+deflated("BT"))), &limits, nil)
	if string(text) != "P" || limits.Packed < 99 {
		t.Errorf("of a text that is too long: got %q, and %d bytes more are unpacked", text, 99-limits.Packed)
	}
}

// FuzzPDF holds that a PDF gives valid text within the limits, and that text written on a page is found again.
func FuzzPDF(f *testing.F) {
	for _, seed := range []string{
		"1 0 obj<</Type/Annot/A<</S/URI/URI(http://pay.example/)>>>>endobj\n2 0 obj<<>>stream\nBT (Pay now) Tj ET\nendstream endobj", "",
		"1 0 obj<</ToUnicode 1 0 R/F 1 0 R/Filter[/Fl/A85]>>stream\n", "(\\", "BT <", "1 0 obj<</Type/ObjStm/First 4>>stream\n1 0 <<",
		"1 0 obj(", "1 0 obj(\\", "1 0 obj(\\1", "1 0 obj<", "1 0 obj>", "1 0 obj<</Type/ObjStm/First 99>>stream\n", "1 0 obj<</Type/ObjStm/First -1>>stream\n",
		"1 0 obj<</Type/ObjStm/First 5>>stream\n5 -1 <<", "1 0 obj<</Type/ObjStm/First 8>>stream\n5 2 6 1 <<>>", "1 0 obj<</Type/ObjStm/First 8>>stream\n5 0 6 9 <<",
		"1 begincodespacerange<0000><ffff>endcodespacerange 1 beginbfrange <00><ff><d800dc00> endbfrange",
	} {
		f.Add(seed)
	}
	escape := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`)
	f.Fuzz(func(t *testing.T, s string) {
		extract(t, "%PDF-1.4\n"+s)
		extract(t, pdf(s, ""))
		isOther := func(r rune) bool { return r < ' ' || r > '~' }
		if strings.ContainsFunc(s, isOther) || strings.Contains(s, "endstream") || len(s) > 1000 {
			return
		}
		text, _, _ := extract(t, pdf("BT ("+escape.Replace(s)+") Tj ET", ""))
		if got := strings.TrimRight(text, " \n"); got != strings.TrimRight(s, " ") {
			t.Errorf("%q came back as %q", s, got)
		}
	})
}
