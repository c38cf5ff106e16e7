package message_test

import (
	"encoding/ascii85"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"chaff/message"
)

// smallPDF shows a text and has a link.
const smallPDF = "%PDF-1.4\n1 0 obj<</Type/Annot/A<</S/URI/URI(http://pay.example/)>>>>endobj\n" +
	"2 0 obj<</Length 20>>stream\nBT /F1 12 Tf 10 10 Td (Pay now) Tj ET\nendstream endobj\n"

// ofPDF returns a message that is a PDF with that content on a page, and other objects.
func ofPDF(content, objects string) string {
	pdf := "%PDF-1.4\n1 0 obj<<>>stream\n" + content + "\nendstream endobj\n" + objects
	return "Content-Type: application/pdf\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(pdf))
}

func TestWhatIsShownOfAPDF(t *testing.T) {
	const font = "2 0 obj<</Font<</F1 3 0 R>>>>endobj 3 0 obj<</Type/Font/Subtype/Type0/ToUnicode 4 0 R>>endobj\n" +
		"4 0 obj<<>>stream\n1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfchar <0001> <0050> <0002> <00660069> endbfchar " +
		"2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<0079> <0020>] endbfrange\nendstream endobj\n"
	tests := []struct{ name, content, objects, texts, urls string }{
		{"text outside of text objects", "(a) Tj", "", "-", ""},
		{"a line", "BT (Pay now) Tj ET", "", "Pay now", ""},
		{"escapes", `BT (a\(b\)\143\
 (d) \\) Tj ET`, "", `a(b)c (d) \`, ""},
		{"hexadecimal digits", "BT <50 61 7> Tj ET", "", "Pap", ""},
		{"windows-1252", "BT (caf\\351 \\200) Tj ET", "", "café €", ""},
		{"kerning and a gap", "BT [(P)-20(ay)-300(now)] TJ ET", "", "Pay now", ""},
		{"lines", "BT (a) Tj T* (b) Tj (c) ' 1 1 (d) \" ET", "", "a b c d", ""},
		{"each glyph placed", "BT /F 10 Tf (P) Tj 6 0 Td (a) Tj 5 0 Td (y) Tj 14 0 Td (n) Tj ET", "", "Pay n", ""},
		{"each glyph in a text object", "BT /F 1 Tf 10 0 0 10 5 5 Tm (P) Tj ET BT 10 0 0 10 11 5 Tm (a) Tj ET BT 10 0 0 10 11 50 Tm (b) Tj ET", "", "Pa b", ""},
		{"words placed", "BT /F 10 Tf (Pay) Tj 20 0 Td (now) Tj 0 -12 Td (here) Tj ET", "", "Pay now here", ""},
		{"strings that are not shown", "BT /Span <</ActualText (no)>> BDC (yes) Tj (no) pop ET (no)", "", "yes", ""},
		{"a font with a map", "BT /F1 12 Tf <00010011001000210002> Tj ET", font, "Pba fi", ""},
		{"a wide font without a map", "BT /F1 12 Tf (ab) Tj ET", "2 0 obj<</F1 3 0 R>>endobj 3 0 obj<</Type/Font/Subtype/Type0>>endobj", "-", ""},
		{"a picture in the content", "BT (a) Tj ET BI /W 1 ID (((( EI BT (b) Tj ET", "", "a b", ""},
		{"comments", "BT % (no) Tj\n (a) Tj ET", "", "a", ""},
		{"names with escapes", "", "2 0 obj<</S/#55RI/#55#52#49(http://pay.example/)>>", "-", "http://pay.example/"},
		{"a link in an encrypted PDF", "", "2 0 obj<</URI(\x90\x01abc)>>", "-", ""},
		{"a link in the text", "BT (see http://pay.example/ a) Tj ET", "", "see a", "http://pay.example/"},
		{"content that says it is a font", "", "2 0 obj<</Contents 3 0 R>>endobj 3 0 obj<</Length1 5>>stream\nBT (a) Tj ET\nendstream endobj", "a", ""},
		{"a picture", "", "3 0 obj<</Subtype/Image>>stream\nBT (a) Tj ET\nendstream endobj", "-", ""},
		{"packed content", "", "3 0 obj<</Filter/FlateDecode>>stream\n" + deflatedText("BT (Pay now) Tj ET") + "\nendstream endobj", "Pay now", ""},
		{"packed content that is cut off", "", "3 0 obj<</Filter[/Fl]>>stream\n" + deflatedText("BT (Pay now) Tj ET")[:18], "Pay now", ""},
		{"content in hexadecimal digits", "", "3 0 obj<</Filter/AHx>>stream\n425428612920546a>\nendstream endobj", "a", ""},
		{"content in base 85", "", "3 0 obj<</Filter[/ASCII85Decode/FlateDecode]>>stream\n" + base85(deflatedText("BT (Pay) Tj ET")) +
			"~>\nendstream endobj", "Pay", ""},
		{"packed objects", "", "3 0 obj<</Type/ObjStm/N 2/First 10/Filter/Fl>>stream\n" +
			deflatedText("5 0 6 4   <<>><</URI(http://pay.example/)>>") + "\nendstream endobj", "-", "http://pay.example/"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := decode(ofPDF(test.content, test.objects))
			if got := strings.TrimSpace(texts(m)); got != test.texts {
				t.Errorf("got text %q, want %q", got, test.texts)
			}
			if got := urls(m); got != test.urls {
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
		{"small letters", "BT /F 12 Tf (Pay) Tj /F 3 Tf (moon) Tj /F 12 Tf (now) Tj ET"},
		{"small by its matrix", "BT /F 12 Tf (Pay) Tj .1 0 0 .1 0 0 Tm (moon) Tj 1 0 0 1 50 0 Tm (now) Tj ET"},
		{"a small page", "BT /F 12 Tf (Pay) Tj ET q .1 0 0 .1 0 0 cm BT (moon) Tj ET Q BT (now) Tj ET"},
		{"nearly white", "BT 0 g (Pay) Tj .9 g (moon) Tj 1 g (now) Tj ET"},
		{"light grey", "BT 0 0 0 rg (Pay) Tj .88 .88 .88 rg (moon) Tj 0 0 1 sc (now) Tj ET"},
		{"light ink", "BT 0 0 0 1 k (Pay) Tj 0 0 0.1 0 k (moon) Tj 0 0 0 1 k (now) Tj ET"},
		{"light until it is restored", "BT (Pay) Tj ET q .9 g BT (moon) Tj ET Q Q BT (now) Tj ET"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := decode(ofPDF(test.content, "")).Parts[0]
			if got := strings.Join(strings.Fields(string(p.Text)), " "); got != "Pay now" || strings.TrimSpace(string(p.Hidden)) != "moon" {
				t.Errorf("got text %q, hidden %q", p.Text, p.Hidden)
			}
		})
	}
}

func TestPDFsUnpackToALimit(t *testing.T) {
	var raw strings.Builder
	raw.WriteString("Content-Type: application/pdf\nContent-Transfer-Encoding: quoted-printable\n\n%PDF-1.4\n")
	bomb := strings.NewReplacer("\n", "=0A", "\r", "=0D", "=", "=3D").Replace(deflatedText(strings.Repeat("BT (word) Tj ET\n", 2<<20)))
	for i := range 20 {
		fmt.Fprintf(&raw, "%d 0 obj<</Filter/Fl>>stream\n%s\nendstream endobj\n", i, bomb)
	}
	o := message.DefaultOptions()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := message.NewDecoder(o).Decode([]byte(raw.String()))
	runtime.ReadMemStats(&after)
	check(t, m, o, raw.Len())
	const most = 80 << 20 // growing slices included
	if len(m.Parts[0].Text) == 0 && len(m.Parts[0].Hidden) == 0 {
		t.Error("nothing was unpacked")
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > most {
		t.Errorf("%d bytes of PDF took %d of memory, want at most %d", raw.Len(), took, most)
	}
}

// A sender can make streams that take long to unpack, and that unpack to nothing.
func TestOnlySoMuchOfPDFsIsUnpacked(t *testing.T) {
	random := rand.NewChaCha8([32]byte{})
	noise := make([]byte, 32<<10)
	random.Read(noise)
	for streams, want := range map[int]string{10: "Pay", 20: ""} {
		stream := "1 0 obj<</Filter/Fl>>stream\n" + deflatedText(string(noise)) + "\nendstream endobj\n"
		m := decode(ofPDF("", strings.Repeat(stream, streams)+"1 0 obj<</Filter/Fl>>stream\n"+deflatedText("BT (Pay) Tj ET")+"\nendstream"))
		if got := strings.TrimSpace(string(m.Parts[0].Text)); got != want {
			t.Errorf("behind %d streams of %d bytes: got %q, want %q", streams, len(noise), got, want)
		}
	}
}

// FuzzPDF holds that a PDF gives valid text within the limits, and finds again what is written on a page.
func FuzzPDF(f *testing.F) {
	for _, seed := range []string{
		smallPDF, "", "1 0 obj<</ToUnicode 1 0 R/F 1 0 R/Filter[/Fl/A85]>>stream\n", "(\\", "BT <", "1 0 obj<</Type/ObjStm/First 4>>stream\n1 0 <<",
		"1 begincodespacerange<0000><ffff>endcodespacerange 1 beginbfrange <00><ff><d800dc00> endbfrange",
	} {
		f.Add(seed)
	}
	o := message.Options{MaxDepth: 4, MaxParts: 8, MaxTextBytes: 4000, MaxHeaderBytes: 500, MaxHeaderFields: 20}
	d := message.NewDecoder(o)
	escape := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`)
	f.Fuzz(func(t *testing.T, s string) {
		m := d.Decode([]byte("Content-Type: application/pdf\nContent-Transfer-Encoding: binary\n\n%PDF-1.4\n" + s))
		check(t, m, o, len(s)+100)
		m = d.Decode([]byte(ofPDF(s, "")))
		check(t, m, o, len(s)+100)
		for _, c := range s {
			if c < ' ' || c > '~' {
				return
			}
		}
		if strings.Contains(s, "://") || strings.Contains(s, "www.") || strings.Contains(s, "WWW.") || strings.Contains(s, "endstream") || len(s) > 1000 {
			return
		}
		m = d.Decode([]byte(ofPDF("BT ("+escape.Replace(s)+") Tj ET", "")))
		if got := strings.TrimRight(string(m.Parts[0].Text), " \n"); got != strings.TrimRight(s, " ") {
			t.Errorf("%q came back as %q", s, got)
		}
	})
}
