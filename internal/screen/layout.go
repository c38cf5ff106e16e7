package screen

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Width returns how many columns of a terminal a line of printable text takes. East Asian characters take two.
func Width(text string) (columns int) {
	for _, r := range text {
		if r >= 0x300 { // most text is below
			if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
				continue
			}
			switch width.LookupRune(r).Kind() {
			case width.EastAsianWide, width.EastAsianFullwidth:
				columns++
			}
		}
		columns++
	}
	return columns
}

// Cut returns as much of a line of printable text as fits in a number of columns, with "…" in the place of what is cut off.
func Cut(text string, columns int) string {
	if Width(text) <= columns {
		return text
	}
	if columns < 1 {
		return ""
	}
	used := 0
	for end, r := range text {
		if used += Width(string(r)); used > columns-1 {
			return strings.TrimRight(text[:end], " ") + "…"
		}
	}
	return text
}

// Clip returns at most so many characters of a text, with "…" in the place of what is cut off.
func Clip(text string, characters int) string {
	for at := range text {
		if characters--; characters < 0 {
			return text[:at] + "…"
		}
	}
	return text
}

// Table aligns the cells of its rows in columns, except the last cell of a row, which is of none. It measures text with [Width], so that East Asian characters
// stay aligned.
type Table struct {
	To      io.Writer
	Columns int        // rows are cut after so many, unless it is 0
	Rows    [][]string // of printable text, each with at least one cell
}

// maxRows is how many rows are aligned with each other: they are in memory until then.
const maxRows = 1000

// Row adds a row, with a cell for each value, and for each text of a list. It makes them printable, as [Printf] does.
func (t *Table) Row(values ...any) {
	var row []string
	for _, value := range values {
		texts, isList := value.([]string)
		for _, text := range texts {
			row = append(row, Printable(text))
		}
		if !isList {
			row = append(row, Text("%v", value))
		}
	}
	if t.Rows = append(t.Rows, row); len(t.Rows) == maxRows {
		t.Flush()
	}
}

// Flush writes the rows and forgets them.
func (t *Table) Flush() {
	const gap = 2 // spaces between two columns
	var widths []int
	for _, cells := range t.Rows {
		for c, cell := range cells[:len(cells)-1] {
			if c == len(widths) {
				widths = append(widths, 0)
			}
			widths[c] = max(widths[c], Width(cell)+gap)
		}
	}
	for _, cells := range t.Rows {
		var line strings.Builder
		for c, cell := range cells {
			line.WriteString(cell)
			if c < len(cells)-1 {
				line.WriteString(strings.Repeat(" ", widths[c]-Width(cell)))
			}
		}
		text := strings.TrimRight(line.String(), " ")
		if t.Columns > 0 {
			text = Cut(text, t.Columns)
		}
		io.WriteString(t.To, text+"\n")
	}
	t.Rows = nil
}

// Grouped returns a number with a comma before each three digits but the first.
func Grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Plural returns a number of things, which are called by one word for one of them, and by the other or with an s for more.
func Plural(n int, one string, many ...string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + append(many, one+"s")[0]
}

// Counts lists what was counted, the largest number first; "" for nothing. A name is trusted, and has _ for a space.
func Counts[N int | int64](all map[string]N) string {
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Or(cmp.Compare(all[b], all[a]), strings.Compare(a, b)) })
	for i, name := range names {
		names[i] = Grouped(int(all[name])) + " " + strings.ReplaceAll(name, "_", " ")
	}
	return strings.Join(names, ", ")
}

// count is a number that is printed as [Grouped] does.
type count int

func (c count) Format(f fmt.State, verb rune) {
	if verb == 'd' || verb == 'v' {
		fmt.Fprintf(f, fmt.FormatString(f, 's'), Grouped(int(c)))
	} else {
		fmt.Fprintf(f, fmt.FormatString(f, verb), int(c))
	}
}

// Sprintf formats as [fmt.Sprintf] does, and whole numbers of the types int and uint32, which count something, as [Grouped] does.
func Sprintf(format string, args ...any) string {
	for i, arg := range args {
		args[i] = counted(arg)
	}
	return fmt.Sprintf(format, args...)
}

// counted returns a value as a count if it is one by its type.
func counted(value any) any {
	switch n := value.(type) {
	case int:
		return count(n)
	case uint32:
		return count(n)
	}
	return value
}

// Paragraph formats as [Printf] does and writes the text in lines of at most 80 columns. The prefix, which is trusted, stands before the
// first line, and as many spaces before the others. A word that is longer is not broken.
func Paragraph(w io.Writer, prefix, format string, args ...any) {
	writeWrapped(w, prefix, strings.Fields(Text(format, args...)))
}

// List writes items, separated by commas, as [Paragraph] does. It breaks no item.
func List(w io.Writer, prefix string, items []string) {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = Printable(item)
		if i < len(items)-1 {
			words[i] += ","
		}
	}
	writeWrapped(w, prefix, words)
}

func writeWrapped(w io.Writer, prefix string, words []string) {
	const pageWidth = 80
	indent := Width(prefix)
	for _, line := range Wrap(words, pageWidth-indent) {
		io.WriteString(w, strings.TrimRight(prefix+line, " ")+"\n")
		prefix = strings.Repeat(" ", indent)
	}
}

// Wrap joins words, with a space between two, into lines of at most so many columns. A word that is longer has a line of its own. Without
// words there is one empty line.
func Wrap(words []string, columns int) (lines []string) {
	line, used := "", 0
	for i, word := range words {
		n := Width(word)
		switch {
		case i == 0:
		case used+1+n > columns:
			lines = append(lines, line)
			line, used = "", 0
		default:
			line, used = line+" ", used+1
		}
		line, used = line+word, used+n
	}
	return append(lines, line)
}
