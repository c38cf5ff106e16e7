package sources

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// openText opens a table with a text, at a path.
func openText(t testing.TB, text string) (mail Mail, path string, err error) {
	t.Helper()
	path = filepath.Join(tree(t, map[string]string{"table": text}), "table")
	mail, err = OpenLabelled(path, Options{Format: CSV})
	return mail, path, err
}

func TestTables(t *testing.T) {
	const hello, won = "ham: \nhello, you", "spam: \nyou have won"
	for _, tt := range []struct {
		about, text string
		want        []string
	}{
		{"commas and names", "label,text\nham,\"hello, you\"\nspam,you have won\n", []string{hello, won}},
		{"names in another order and case", "id,Message,Category\n1,\"hello, you\",ham\n2,you have won,spam", []string{hello, won}},
		{"semicolons", "text;class\nhello, you;0\nyou have won;1\n", []string{hello, won}},
		{"tabs without names", "ham\thello, you\nspam\tyou have won\n", []string{hello, won}},
		{"commas without names", "spam,you have won\nham,\"hello, you\"\n", []string{won, hello}},
		{"semicolons without names", "ham;hello, you\nspam;you have won\n", []string{hello, won}},
		{"the longest cell is the text", "17,spam,x,you have won\n18,ham,x,\"hello, you\"\n", []string{won, hello}},
		{"a byte order mark and CRLF", "\ufefflabel,text\r\nham,\"hello, you\"\r\n\r\nspam,you have won\r\n", []string{hello, won}},
		{"a cell of several lines", "label,text\nham,\"a \"\"b\"\"\nc\"\nspam,d\n", []string{"ham: \na \"b\"\nc", "spam: \nd"}},
		{"a quote that is not closed", "label,text\nham,\"a\nspam,\"b\"\nham,c\n", []string{"ham: \na\n", "spam: \nb", "ham: \nc"}},
		{"quotes inside of quotes", "label,text\nham,\"say \"hi\" to me\"\nspam,5\" nails\n", []string{"ham: \nsay \"hi\" to me", "spam: \n5\" nails"}},
		{"a lone quote between tabs", "ham\t\"a\nspam\tb\"\nham\t\"say \"\"hi\"\"\"\n", []string{"ham: \n\"a", "spam: \nb\"", "ham: \nsay \"hi\""}},
		{"a subject", "subject,text,label\nminutes,hello,ham\n\"two\nlines\",you,spam\n,none,ham\n", []string{"ham: Subject: minutes\n\nhello", "spam: Subject: two\n lines\n\nyou", "ham: \nnone"}},
		{"rows of another length", "label,text\nham\nham,a,b\nspam,c\n", []string{"! T:2: wrong number of cells: 1, but 2 in the first row", "! T:3: wrong number of cells: 3, but 2 in the first row", "spam: \nc"}},
		{"no label and no text", "label,text\n ,a\nham,\n", []string{"! T:2: the label is empty", "ham: \n"}},
		{"bytes that are not UTF-8", "ham\tcaf\xe9 \xff\nspam\t\x00b\n", []string{"ham: \ncaf\xe9 \xff", "spam: \n\x00b"}},
		{"classes of other names", "class,text\nsport,a\nnews,b\nsport,c\n", []string{"sport: \na", "news: \nb", "sport: \nc"}},
		{"words for spam beside others", "class,text\nspam,a\nham,b\nunsure,c\n", []string{"spam: \na", "ham: \nb", "unsure: \nc"}},
	} {
		t.Run(tt.about, func(t *testing.T) {
			for about, text := range map[string]string{"plain": tt.text, "gzip": pack(t, gzipped, tt.text)} {
				mail, path, err := openText(t, text)
				must(t, err)
				got := contents(mail.Source)
				for i := range got {
					got[i] = strings.Replace(got[i], path, "T", 1)
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("%s: got  %q\nwant %q", about, got, tt.want)
				}
			}
		})
	}
}

// A table is read into memory that is allocated once, and up to its limit.
func TestALargeTableIsReadOnce(t *testing.T) {
	if want := int64(1 << 30); strconv.IntSize == 64 && maxTableBytes != want {
		t.Errorf("%d bytes of a table are read, want %d", int64(maxTableBytes), want)
	}
	text := "two,columns\n" + strings.Repeat("a row of a table without them\n", 500_000)
	for about, packed := range map[string]string{"plain": text, "gzip": pack(t, gzipped, text)} {
		fsys := fstest.MapFS{"t": {Data: []byte(packed)}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := (&table{path: "t"}).read(fsys, maxTableBytes)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrColumns) || took > uint64(len(text))*5/4 {
			t.Errorf("%s: a table of %d bytes took %d, and %v", about, len(text), took, err)
		}
	}
	const rows = "ham,a\nspam,b\nham,c\n"
	for about, packed := range map[string]string{"plain": rows, "gzip": pack(t, gzipped, rows)} {
		for limit, want := range map[int64]int{int64(len(rows)): 3, int64(len(rows)) - 1: 2} {
			read := &table{path: "t", subject: -1}
			_, err := read.read(fstest.MapFS{"t": {Data: []byte(packed)}}, limit)
			must(t, err)
			got := contents(read.list)
			isCut := len(got) == want+1 && strings.Contains(got[want], "the rest is not read")
			if want == 3 && len(got) != 3 || want == 2 && !isCut {
				t.Errorf("%s: of a table of %d bytes, read up to %d, got %q", about, len(rows), limit, got)
			}
		}
	}
}

func TestWordsForHamAndSpam(t *testing.T) {
	for _, labels := range [][2]string{
		{"ham", "spam"}, {"HAM", "Spam"}, {"0", "1"}, {"False", "TRUE"}, {"no", "yes"}, {"not spam", "spam"}, {"not_spam", "spam"},
		{"legit", "junk"}, {"legitimate", "spam"}, {"normal", "spam"}, {"good", "bad"}, {"0", "spam"},
	} {
		mail, _, err := openText(t, fmt.Sprintf("label,text\n%s,a\n%s,b\n", labels[0], labels[1]))
		must(t, err)
		got := contents(mail.Source)
		if want := []string{"ham: \na", "spam: \nb"}; !slices.Equal(got, want) || !slices.Equal(mail.Classes, []string{"ham", "spam"}) {
			t.Errorf("%q: got %q, classes %q", labels, got, mail.Classes)
		}
	}
	mail, _, err := openText(t, "label,text\n2,a\n0,b\n1,c\n")
	if err != nil || !slices.Equal(mail.Classes, []string{"0", "1", "2"}) {
		t.Errorf("got classes %q, %v", mail.Classes, err)
	}
}

func TestTableSaysWhatItFound(t *testing.T) {
	for text, want := range map[string]string{
		"v1,v2,,,\nham,a,,,\n":        `text in "v2", label in "v1"`,
		"Title,Body,Class\na,b,ham\n": `text in "Body", label in "Class", subject in "Title"`,
		"ham\ta\n":                    `text in "column 2", label in "column 1"`,
		"text,spam\na,1\n":            `text in "text", label in "spam"`,
		"COMMENT_ID,AUTHOR,DATE,CONTENT,CLASS\n1,x,2013,a,1\n": `text in "CONTENT", label in "CLASS"`,
	} {
		mail, path, err := openText(t, text)
		must(t, err)
		check(t, text, mail.Notes, []string{path + ": table, " + want + ", classes ham, spam"})
	}
}

func TestOpenTableErrors(t *testing.T) {
	for _, tt := range []struct {
		about, text string
		want        string
		hint        bool
	}{
		{"nothing in it", "", "the table is empty", false},
		{"only line ends", "\n\r\n\n", "the table is empty", false},
		{"prose", "This is no table.\nIt is not.\n", `cannot find the text and label columns: the first row is "This is no table."`, true},
		{"unusual names", "a,b,c\nx,y,ham\n", `columns: the first row is "a", "b", "c"`, true},
		{"names without a label", "no,text\n1,a\n", `columns: the first row is "no", "text"`, true},
		{"JSON", "{\"text\":\"a\",\"label\":\"ham\"}\n", "columns: the first row is", true},
		{"an archive", makeZip(t, entry{name: "1"}), `is a zip archive, not a table`, false},
		{"damaged compression", pack(t, gzipped, "label,text\n")[:9], `gzip data is cut off`, false},
	} {
		t.Run(tt.about, func(t *testing.T) {
			_, _, err := openText(t, tt.text)
			checkError(t, err, "table", tt.want)
			if errors.Is(err, ErrColumns) != tt.hint {
				t.Errorf("%v: is about columns: %v, want %v", err, !tt.hint, tt.hint)
			}
		})
	}
	_, err := openLabelled(t.TempDir(), CSV)
	checkError(t, err, "is a folder, not a table")

	var ids strings.Builder
	ids.WriteString("label,text\n")
	for i := range maxClasses + 1 {
		fmt.Fprintf(&ids, "%d,a\n", i)
	}
	_, _, err = openText(t, ids.String())
	checkError(t, err, `the column "label" has more than 1000 different labels`)
}

func TestTableThatIsCutOffIsReadUpToThere(t *testing.T) {
	var text strings.Builder
	text.WriteString("label,text\n")
	for i := range 20_000 {
		fmt.Fprintf(&text, "ham,message %d\n", i)
	}
	packed := pack(t, gzipped, text.String())
	mail, _, err := openText(t, packed[:len(packed)/2])
	must(t, err)
	got := contents(mail.Source)
	if last := got[len(got)-1]; len(got) < 5000 || !strings.Contains(last, "the gzip data is cut off") {
		t.Errorf("got %d rows, the last one %q", len(got), last)
	}
	for i, m := range got[:len(got)-1] {
		if want := fmt.Sprintf("ham: \nmessage %d", i); m != want {
			t.Fatalf("got %q, want %q", m, want)
		}
	}
}

func TestATableThatIsReadStaysAsItWas(t *testing.T) {
	mail, path, err := openText(t, "label,text\nham,aaa\nspam,bbb\n")
	must(t, err)
	must(t, os.WriteFile(path, []byte("label,text\nspam,xxx\nham,yyy\n"), 0o644))
	check(t, "", contents(mail.Source), []string{"ham: \naaa", "spam: \nbbb"})
}

// allRows returns the rows of a table up to the first error.
func allRows(all iter.Seq2[row, error]) (rows []row, err error) {
	for r, err := range all {
		if err != nil {
			return rows, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func TestARowThatIsTooLongEndsTheTable(t *testing.T) {
	for _, comma := range []byte{'\t', ','} {
		text := "a\n" + strings.Repeat("x", 90) + "\n" + strings.Repeat("x", maxRowBytes) + "\nb\n"
		rows, err := allRows((&table{text: []byte(text), comma: comma}).rows)
		checkError(t, err, "the row is too long; the rest is not read")
		if len(rows) != 2 {
			t.Errorf("%q: got %d rows, want 2", comma, len(rows))
		}
	}
}

// FuzzRows requires that each byte of a table is in one row or between rows, and that each row has cells or an error.
func FuzzRows(f *testing.F) {
	for _, s := range []string{"label,text\nham,a\n", "ham\t\"a\r\n\r\nspam\tb", "a;\"b\n\"\"c\";d\n\"x", "\n\"a\nb\"c\n", "\"\r", "\"a\"\rb\n"} {
		for kind := range byte(3) {
			f.Add([]byte(s), kind)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, kind byte) {
		comma := ",;\t"[kind%3]
		at := 0
		between := func(to int) {
			if rest := bytes.Trim(text[at:to], "\r\n"); len(rest) > 0 {
				t.Errorf("%q is in no row", text[at:to])
			}
		}
		rows, err := allRows((&table{text: text, comma: comma}).rows)
		must(t, err)
		for _, r := range rows {
			start := cap(text) - cap(r.bytes)
			if start < at || len(r.bytes) == 0 {
				t.Fatalf("the row %q is at %d, after %d", r.bytes, start, at)
			}
			if want := 1 + bytes.Count(text[:start], []byte("\n")); r.line != want {
				t.Errorf("the row %q has line %d, want %d", r.bytes, r.line, want)
			}
			between(start)
			at = start + len(r.bytes)
			if cells, err := cellsOf(r.bytes, comma); err == nil && len(cells) == 0 {
				t.Errorf("the row %q has neither cells nor an error", r.bytes)
			}
		}
		between(len(text))
	})
}

// FuzzTable requires that every row of a table is a message that can be read, or an error.
func FuzzTable(f *testing.F) {
	for _, s := range []string{
		"label,text\nham,a\nspam,\"b\nc\"\n", "ham\t\"a\nspam\tb\n", "text;class;subject\na;0;\"x\ny\"\nb;1\n", "\ufeffv1,v2\nham,\xff\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		table := &table{path: "table", subject: -1}
		classes, err := table.read(fstest.MapFS{"table": {Data: text}}, maxTableBytes)
		if err != nil {
			return
		}
		want := -1
		if !table.header {
			want = 0
		}
		rows, err := allRows(table.rows)
		if want += len(rows); err != nil {
			want++
		}
		got := 0
		for item, err := range table.list {
			got++
			if err != nil {
				continue
			}
			raw, err := readAny(item, nil)
			if err != nil || !slices.Contains(classes, item.Label) {
				t.Errorf("%s, label %q: %v", item.Origin, item.Label, err)
			}
			if head, _, found := bytes.Cut(raw, []byte("\n")); !found || len(head) > 0 && !bytes.HasPrefix(head, []byte("Subject: ")) {
				t.Errorf("%s: the message begins with %q", item.Origin, head)
			}
		}
		if got != want && compressionOf(text) == uncompressed {
			t.Errorf("got %d items and errors, want %d", got, want)
		}
	})
}

func BenchmarkTable(b *testing.B) {
	var text strings.Builder
	text.WriteString("label,text\n")
	for i := range 5000 {
		fmt.Fprintf(&text, "ham,\"message %d, with a comma and some words more, as many as in a message\"\n", i)
	}
	mail, _, err := openText(b, text.String())
	must(b, err)
	b.Run("list", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for range mail.Source {
				n++
			}
			if n != 5000 {
				b.Fatal(n)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		var raw []byte
		b.ReportAllocs()
		for item := range mail.Source {
			for b.Loop() {
				if raw, err = readAny(item, raw); err != nil {
					b.Fatal(err)
				}
			}
			break
		}
	})
}
