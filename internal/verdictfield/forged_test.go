package verdictfield

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"chaff/test/lineartest"
	"chaff/test/tabletest"
)

// stripped returns a message without the verdicts of others.
func stripped(raw string) string {
	out, _ := Set([]byte(raw))
	return string(out)
}

func TestAForgedVerdictLosesItsName(t *testing.T) {
	tabletest.Strings(t, stripped, [][3]string{
		{"behind two CR, which end the header for some", "Subject: a\r\rb\nX-Spam-Flag: NO\n\nbody", "Subject: a\r\rb\nX_Spam-Flag: NO\n\nbody"},
		{"behind a CR at the start of a line", "\rSubject: a\nX-Spam-Status: No\n\nbody", "X-Chaff-Message:\n\rSubject: a\nX_Spam-Status: No\n\nbody"},
		{"behind a line of CR, in lines that end in LF", "To: b\n\r\nX-Spam-Flag: NO\n\nbody", "To: b\n\r\nX_Spam-Flag: NO\n\nbody"},
		{"behind two LF, in lines that end in CR LF", "To: b\r\nSubject: a\n\nb\r\nX-Spam-Flag: NO\r\n\r\nX-Spam-Flag: x", "To: b\r\nSubject: a\n\nb\r\nX_Spam-Flag: NO\r\n\r\nX-Spam-Flag: x"},
		{"with NUL in its name", "X-Spam\x00-Flag: NO\nTo: b\n\nbody", "X_Spam\x00-Flag: NO\nTo: b\n\nbody"},
		{"with NUL before its name", "To: b\n\x00X-Chaff-Verdict: ham\n\nbody", "To: b\n\x00X_Chaff-Verdict: ham\n\nbody"},
		{"with a byte order mark before its name", "\ufeffX-Spam-Flag: NO\nTo: b\n\nbody", "\ufeffX_Spam-Flag: NO\nTo: b\n\nbody"},
		{"with its colon in the next line", "X-Spam-Flag\r\n : NO\r\nTo: b\r\n\r\nbody", "X_Spam-Flag\r\n : NO\r\nTo: b\r\n\r\nbody"},
		{"with blanks before its colon", "X-Spam-Flag \t: NO\n\nbody", "X_Spam-Flag \t: NO\n\nbody"},
		{"folded within its name", "To: b\nX-Spam\n -Flag: NO\n\nbody", "To: b\nX_Spam\n -Flag: NO\n\nbody"},
		{"with eighth bits that are dropped on the way", "To: b\n\xd8\xad\xd3pam-Flag: NO\n\nbody", "To: b\n\xd8_\xd3pam-Flag: NO\n\nbody"},
		{"after blanks, which some pass over", "To: b\n\tX-Spam-Flag: NO\n\nbody", "To: b\n\tX_Spam-Flag: NO\n\nbody"},
		{"where a program cuts a line", "To: " + strings.Repeat("b", 600) + "X-Spam-Flag: NO\n\nbody", "To: " + strings.Repeat("b", 600) + "X_Spam-Flag: NO\n\nbody"},
		{"behind a control character that ends lines", "To: b\vX-Spam-Flag: NO\x85X-Spam-Flag: NO\n\nbody", "To: b\vX_Spam-Flag: NO\x85X_Spam-Flag: NO\n\nbody"},
		{"in the last line, without an end", "To: b\nX-Spam-Flag: NO", "To: b\nX_Spam-Flag: NO"},
		{"behind a line that is no field", "Hello!\nX-Spam-Flag: NO\nis what I see.", "Hello!\nX_Spam-Flag: NO\nis what I see."},
		{"with a continuation that not all take for one", "To: b\nX-Spam-Flag: NO\n a\rb: c\n\nbody", "To: b\nX_Spam-Flag: NO\n a\rb: c\n\nbody"},
		{"with a continuation of blanks, an end for some", "To: b\nX-Spam-Flag: NO\n \nbody", "To: b\nX_Spam-Flag: NO\n \nbody"},
		{"not in a word", "To: b X-Spam-Flag: NO, aX-Spam-Flag: NO\n\nbody", "To: b X-Spam-Flag: NO, aX-Spam-Flag: NO\n\nbody"},
		{"not in the body", "To: b\n\nX-Spam-Flag: NO\r\n\vX-Spam-Flag: NO", "To: b\n\nX-Spam-Flag: NO\r\n\vX-Spam-Flag: NO"},
		{"not in the body in CR LF", "To: b\r\n\r\nX-Spam-Flag: NO\nX-Spam-Flag: NO", "To: b\r\n\r\nX-Spam-Flag: NO\nX-Spam-Flag: NO"},
		{"unless all agree on it, and it is removed", "To: b\nx-spam-flag: NO\n\tYES\nCc: d\n e\n\nbody", "To: b\nCc: d\n e\n\nbody"},
		{"before a blank behind a byte order mark", "\ufeff  X-Spam-Flag: NO\nTo: b\n\nbody", "X-Chaff-Message:\n\ufeff  X_Spam-Flag: NO\nTo: b\n\nbody"},
		{"before a blank of eight bits", "\xa0Yes\nTo: b\n\nbody", "X-Chaff-Message:\n\xa0Yes\nTo: b\n\nbody"},
		{"not before a byte order mark alone", "\ufeffTo: b\n\nbody", "\ufeffTo: b\n\nbody"},
		{"and what it was the first line of is kept", "X-Chaff-Message:\n a\nTo: b\n\nbody", "X-Chaff-Message:\n a\nTo: b\n\nbody"},
		{"and what goes on with it elsewhere is not", "To: b\nX-Chaff-Message:\n a\nCc: b\n\nbody", "To: b\nCc: b\n\nbody"},
		{"without a fold that goes on with the field above", "X-Spam-Flag: NO\n a\n b\nTo: b\n\nbody", "To: b\n\nbody"},
	})
}

func TestStrippingIsLinearInTheSize(t *testing.T) {
	for name, unit := range map[string]string{
		"names":                   "\nX-Spam-",
		"names that never end":    "\nX-" + strings.Repeat("\x00", 100),
		"names of eight bits":     "\x80\xd8\xad\xd3\xf0\xe1\xed\xad",
		"continuations":           "X-Spam-Flag: a\n b\n",
		"spacers":                 spacer + "\n",
		"long lines of names":     strings.Repeat("X-Spam-Flag: ", 100),
		"line ends of both kinds": "a: b\r\n\nX-Spam-Flag: a\n",
	} {
		t.Run(name, func(t *testing.T) {
			lineartest.Check(t, func(size int) func() {
				raw := bytes.Repeat([]byte(unit), size/len(unit))
				return func() { _, _ = Set(raw) }
			})
		})
	}
}

// downstream is a program that reads what was passed: how it finds lines, the end of the header, and names.
type downstream struct {
	name string
	// header returns the header, without its end if it has one.
	header func(message string) string
	lines  func(header string) []string
	// prepared is what it makes of each line before it looks for a name.
	prepared func(line string) string
}

func downstreams() []downstream {
	upTo := func(ends ...string) func(string) string {
		return func(message string) string {
			if strings.HasPrefix(message, ends[0][len(ends[0])/2:]) {
				return ""
			}
			at := len(message)
			for _, end := range ends {
				if i := strings.Index(message, end); i >= 0 {
					at = min(at, i)
				}
			}
			return message[:at]
		}
	}
	split := func(pattern string) func(string) []string {
		end := regexp.MustCompile(pattern)
		return func(header string) []string { return end.Split(header, -1) }
	}
	cut := func(length int) func(string) []string {
		return func(header string) []string {
			var all []string
			for line := range strings.Lines(header) {
				for len(line) > length {
					all = append(all, line[:length])
					line = line[length:]
				}
				all = append(all, line)
			}
			return all
		}
	}
	asItIs := func(line string) string { return line }
	dropped := func(drop func(r byte) bool) func(string) string {
		return func(line string) string {
			var kept []byte
			for _, c := range []byte(line) {
				if !drop(c) {
					kept = append(kept, c)
				}
			}
			return string(kept)
		}
	}
	sevenBit := func(line string) string {
		b := []byte(line)
		for i := range b {
			b[i] &= 0x7f
		}
		return string(b)
	}
	at := func(end string) func(string) []string {
		return func(header string) []string { return strings.Split(header, end) }
	}
	lf, crlf := at("\n"), at("\r\n")
	unfold := strings.NewReplacer("\n ", "", "\n\t", "")
	return []downstream{
		{"LF only", upTo("\n\n"), lf, asItIs},
		{"LF only, blanks trimmed", upTo("\n\n"), lf, strings.TrimSpace},
		{"LF only, control characters dropped", upTo("\n\n"), lf, dropped(func(c byte) bool { return c < ' ' || c == 0x7f })},
		{"LF only, ASCII only", upTo("\n\n"), lf, dropped(func(c byte) bool { return c >= 0x80 })},
		{"LF only, seven bits", upTo("\n\n"), lf, sevenBit},
		{"LF only, unfolded", upTo("\n\n"), func(h string) []string { return lf(unfold.Replace(h)) }, asItIs},
		{"LF only, lines of 512 bytes", upTo("\n\n"), cut(511), asItIs},
		{"LF only, lines of 998 bytes", upTo("\n\n"), cut(998), asItIs},
		{"LF only, a byte order mark dropped", upTo("\n\n"), lf, func(l string) string { return strings.TrimPrefix(l, "\ufeff") }},
		{"LF, behind CR or not", upTo("\n\n", "\n\r\n"), split(`\r?\n`), asItIs},
		{"LF, behind any CR", upTo("\n\n", "\n\r\n", "\n\r\r\n"), split(`\r*\n`), asItIs},
		{"lines by any end, header by two LF", upTo("\n\n"), split(`\r\n|[\n\r\v\f\x1c-\x1e]|\xc2\x85|\xe2\x80[\xa8\xa9]`), asItIs},
		{"any line end", upTo("\n\n", "\r\r", "\n\r\n", "\r\n\r\n"), split(`\r\n|\r|\n`), asItIs},
		{"the string ends at NUL", func(m string) string { m, _, _ = strings.Cut(m, "\x00"); return upTo("\n\n")(m) }, lf, strings.TrimSpace},
		{"lines end at NUL", upTo("\n\n"), lf, func(l string) string { l, _, _ = strings.Cut(l, "\x00"); return l }},
		{"CR LF only", upTo("\r\n\r\n"), crlf, asItIs},
		{"CR LF only, blanks trimmed", upTo("\r\n\r\n"), crlf, strings.TrimSpace},
		{"CR LF only, lines by any end", upTo("\r\n\r\n"), split(`\r\n|\r|\n`), strings.TrimSpace},
	}
}

// verdicts returns the fields of a message that a downstream program takes for those of a filter.
func (d downstream) verdicts(message string) []string {
	var found []string
	for _, line := range d.lines(d.header(message)) {
		line = strings.TrimRight(d.prepared(line), "\r\n")
		if isVerdictName(line) {
			found = append(found, line)
		}
	}
	return found
}

// reads reports whether a program can read mail at all that has the line ends of this message: of one that knows CR LF only, or LF
// only, these are the ends of at least one line of the header.
func (d downstream) reads(message string) bool {
	header := firstOf(message, "\n\n", "\n\r\n")
	hasLF := strings.Count(header, "\n") > strings.Count(header, "\r\n")
	hasCRLF := strings.Contains(header, "\r\n")
	switch {
	case strings.HasPrefix(d.name, "CR LF only"):
		return hasCRLF
	case strings.HasPrefix(d.name, "LF only"), d.name == "lines by any end, header by two LF", strings.Contains(d.name, "NUL"):
		return hasLF
	}
	return true
}

// firstOf returns what is before the first of the ends, with it.
func firstOf(text string, ends ...string) string {
	at := len(text)
	for _, end := range ends {
		if i := strings.Index(text, end); i >= 0 {
			at = min(at, i+len(end))
		}
	}
	return text[:at]
}

// forgeries are messages in whose headers verdicts are hidden, and others that are read in more than one way.
func forgeries() []string {
	return []string{
		"From: a\n\nbody", "From a@b\nX-Spam-Flag: YES\n\n", "X-Spam-Flag: YES\r\rbody", "\r\n\r\n", " continued\n\n", "X-Chaff-\n", ">From x", "From ", "\x00\r\r\n",
		"Subject: a\r\rb\nX-Spam-Flag: NO\n\nbody", "\rX-Spam-Flag: NO\n\n", "X-Spam\x00-Flag: NO\n\n", "\ufeffX-Spam-Flag: NO\n", "X-Spam-Flag\r\n : NO\r\n\r\n",
		"a: b\r\nc\n\nd\r\nX-Spam-Flag: NO\r\n\r\n", "a: b\n\r\nX-Spam-Flag: NO\n\n", "a: b\nX-Spam-Status: No\n c\n d\ne: f\n\n", "a\nX-Spam-Flag: b\nc",
		"\xd8\xad\xd3pam-Flag: NO\n", "X\x80-Spam-Flag: NO\n", "x\xad-Spam-Flag: NO\n", "X-Chaff-Message:\n a\n", "X-Chaff-Message:\xdf\n a\n", "\u062d\xd3 pAm-", "a: b\vX-Spam-Flag: NO\n", "From a\rX-Spam-Flag: NO\nb: c\n\n",
		"a: " + strings.Repeat("b", 508) + "X-Spam-Flag: NO\n\n", "X-Spam-Flag: NO\n \n", "X-Spam-Flag: NO\n\vb\n", "To: b\n\r\n\r\nX-Spam-Flag: NO\n\nbody",
	}
}

// FuzzSet checks that no program finds a verdict in a message that was passed but ours, that the message loses nothing
// but fields on which all agree and a hyphen here and there, and that it is the same when it is passed again.
func FuzzSet(f *testing.F) {
	for _, seed := range forgeries() {
		f.Add([]byte(seed))
	}
	programs := downstreams()
	f.Fuzz(func(t *testing.T, raw []byte) { checkSet(t, programs, raw) })
}

// TestNoProgramFindsAForgedVerdict is FuzzSet with messages made of what readings differ in.
func TestNoProgramFindsAForgedVerdict(t *testing.T) {
	pieces := []string{
		"\n", "\n", "\n", "\r\n", "\r\n", "\r\n", "\r", "\r\r\n", "X-Spam-", "x-chaff-", "Flag", ":", ": ", " ", "\t", "\x00", "a", "From ", ">From ", "a: b\n",
		"a: b\r\n", " c\n", "\tc\r\n", "X-Spam-Flag: NO\n", "X-Spam-Flag: NO\r\n", "X-Chaff-Message:\n", "X-Chaff-Message:\r\n", "X-Spam\x00-Flag: NO", "X", "-", "Spam", "-",
		"\ufeff", "\u2028", "\x85", "\xd8", "\xad", "\v", "\f", "\x1c", "\x7f", "b: " + strings.Repeat("c", 508), strings.Repeat("d", 490),
	}
	programs := downstreams()
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var raw []byte
		for range random.IntN(14) {
			raw = append(raw, pieces[random.IntN(len(pieces))]...)
		}
		checkSet(t, programs, raw)
		if t.Failed() {
			return
		}
	}
}

// marked returns a message with a verdict.
func marked(raw []byte) []byte {
	out, _ := Set(raw, Field{"X-Spam-Flag", "YES"}, Field{"X-Spam-Status", "Yes, score=1.00 required=0.00"}, Field{"X-Chaff-Verdict", "spam"})
	return out
}

func checkSet(t *testing.T, programs []downstream, raw []byte) {
	t.Helper()
	own, before := string(marked(nil)), bytes.Clone(raw)
	passed := marked(raw)
	if !bytes.Equal(raw, before) {
		t.Fatalf("%.300q was changed where it is", before)
	}
	out := string(passed)
	if i := strings.Index(out, "\n"); i > 0 && strings.Contains(out, strings.ReplaceAll(own, "\n", "\r\n")) {
		own = strings.ReplaceAll(own, "\n", "\r\n")
	}
	first, rest, found := strings.Cut(out, own)
	if !found || !bytes.HasPrefix(raw, []byte(first)) {
		t.Fatalf("%.300q passed as %.300q: our fields are not in front", raw, out)
	}
	wanted := strings.Count(own, "\n")
	for _, end := range []string{"\n", "\r\n"} {
		if after, spaced := strings.CutPrefix(rest, spacer+end); spaced {
			rest, wanted = after, wanted+1
		}
	}
	for _, d := range programs {
		if !d.reads(out) {
			continue
		}
		if got := d.verdicts(out); len(got) > wanted || d.reads(own) && len(got) < wanted {
			t.Errorf("%.300q passed as %.600q\nread as %q: %d verdicts, want %d: %q", raw, out, d.name, len(got), wanted, got)
		}
	}
	checkNothingIsLost(t, string(raw[len(first):]), rest)
	if again := marked(passed); !bytes.Equal(again, passed) {
		t.Errorf("%.300q passed twice: got %.300q, want %.300q", raw, again, passed)
	}
}

// agreed matches a verdict that all programs read alike, with the lines that continue it.
var agreed = regexp.MustCompile(`(?i)^X-(?:Spam|Chaff)-[^\x00-\x20:\x7f]*:[^\x00-\x08\n-\x1f\x7f]*\r?\n(?:[ \t]+[^\x00-\x20\x7f][^\x00-\x08\n-\x1f\x7f]*\r?\n)*`)

// checkNothingIsLost finds a way to make one text of the other, by taking out fields that are agreed on and changing hyphens.
func checkNothingIsLost(t *testing.T, raw, passed string) {
	t.Helper()
	tried := make(map[[2]int]bool)
	var same func(in, out string) bool
	same = func(in, out string) bool {
		for in != "" {
			at := [2]int{len(in), len(out)}
			if tried[at] {
				return false
			}
			tried[at] = true
			field := ""
			if in[0]|0x20 == 'x' {
				field = agreed.FindString(in)
			}
			if line := firstOf(in, "\n"); passed == out && strings.TrimRight(line, "\r\n") == spacer {
				field = line // its continuation was the beginning of the message
			}
			if field != "" && same(in[len(field):], out) {
				return true
			}
			n := len(firstOf(in, "\n"))
			if n > len(out) || !sameLine(in[:n], out[:n]) {
				return false
			}
			in, out = in[n:], out[n:]
		}
		return out == ""
	}
	if !same(raw, passed) {
		t.Errorf("%.300q passed as %.300q: something else is lost than agreed fields", raw, passed)
	}
}

// sameLine reports whether lines are the same but for hyphens of names.
func sameLine(in, out string) bool {
	for i := range len(in) {
		if in[i] != out[i] && (in[i]&0x7f != '-' || out[i] != '_') {
			return false
		}
	}
	return true
}

// isVerdictName reports whether a field is one that a filter writes.
func isVerdictName(field string) bool {
	for _, name := range []string{"x-spam-", "x-chaff-"} {
		if len(field) >= len(name) && strings.EqualFold(field[:len(name)], name) {
			return true
		}
	}
	return false
}
