package sources

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"chaff/internal/cputime"
)

// TestListingIsLinearInTheSizeOfHostileInput gives the parsers input made to be
// slow, in one size and in four times the size. Linear work takes four times as
// long, quadratic work sixteen times.
func TestListingIsLinearInTheSizeOfHostileInput(t *testing.T) {
	const (
		small    = 128 << 10
		factor   = 4
		limit    = 10
		grain    = 3 * time.Millisecond // a difference below that is noise
		attempts = 4                    // on a busy machine the first one may fail; too much work fails always
	)
	const from = "From a@b.example Thu Aug 22 12:36:23 2002\n"
	scan := func(text []byte) {
		scanAll(t, bytes.NewReader(text))
	}
	unquote := func(text []byte) { unquoteFrom(bytes.Clone(text)) }
	far := "From a@b.example Thu Aug 22 12:36:23 2002\nContent-Length: 99999999\n\n"
	shapes := []struct {
		name, head, unit string
		work             func([]byte)
	}{
		{"empty messages", "", from + "\n", scan},
		{"messages whose length points beyond the end", "", far, scan},
		{"lines that could begin a message, after one that is long", far, "x\n" + from, scan},
		{"lines that could begin a message, after one without a length", from + "\n", "x\n" + from, scan},
		{"joined messages, after one that is long", far, "x\n" + from + "a: b\n\n", scan},
		{"words of a date", from, "From a@b.example" + strings.Repeat(" Thu", 200) + "\n", scan},
		{"a From_ line that does not end", from + "\nFrom ", "Thu ", scan},
		{"fields of a length", from, "Content-Length: 1\n", scan},
		{"empty lines", from, "\n", scan},
		{"quotes", "\n", ">From \n", unquote},
		{"quotes of quotes", "\n", ">", unquote},
		{"quotes of nothing", "\n", ">\n", unquote},
		{"a header that does not end", "", "a: b\n", unquote},
		{"ampersands", "", "&", func(text []byte) { decodeMUTF7(string(text)) }},
		{"ampersands with base64", "", "&APw", func(text []byte) { decodeMUTF7(string(text)) }},
		{"digits", "", "9", func(text []byte) { cutEmlx(bytes.Clone(text)) }},
	}
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			timeOf := func(size int) time.Duration {
				text := []byte(shape.head + strings.Repeat(shape.unit, size/len(shape.unit)))
				best := time.Hour
				for range 3 {
					best = min(best, cputime.Of(func() { shape.work(text) }))
				}
				return best
			}
			var once, more time.Duration
			for range attempts {
				once, more = timeOf(small), timeOf(factor*small)
				if more <= limit*once+grain {
					return
				}
			}
			t.Errorf("%d times the size took %v instead of %v, over %d times as long", factor, more, once, limit)
		})
	}
}

func BenchmarkUnquoteFrom(b *testing.B) {
	var message bytes.Buffer
	message.WriteString("From ann@example.org Thu Aug 22 12:36:23 2002\nSubject: a\n\n")
	for i := range 1000 {
		fmt.Fprintf(&message, "> The text of a letter, line %d, in lines of about seventy bytes each.\n", i)
	}
	message.WriteString(">From here on.\n")
	b.SetBytes(int64(message.Len()))
	b.ReportAllocs()
	buf := make([]byte, message.Len())
	for b.Loop() {
		copy(buf, message.Bytes())
		unquoteFrom(buf)
	}
}
