package milter

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-milter"

	"chaff/filter"
	"chaff/internal/verdictfield"
	"chaff/serve"
	"chaff/test/servetest"
)

// FuzzEdits makes the edits of a header, and gets what package filter makes of it.
func FuzzEdits(f *testing.F) {
	for _, seed := range []string{
		"Subject: a\nX-Spam-Flag: NO\nTo: b\n", "X-Odd: a\x01b\nX-Spam-Flag: NO\nTo: a\nX-Chaff-Verdict:ham\n", "A: b\n X-Spam-Flag: NO\nA: c\n", "X-Odd: a\rX-Spam-Flag: NO\n",
		"A:" + strings.Repeat("a", 600) + "X-Spam-Flag:\n", "X-Spam-A\n: b\nX-Spam-A: c\n", "X-Spam-\x01:\n",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, leadingSpace bool) {
		if text == "" || strings.ContainsAny(text[:1], " \t") || strings.Contains(text, "\r\n") {
			return
		}
		fields, _ := takeApart(strings.ReplaceAll(text, "\n\n", "\n"))
		var header []byte
		var ends []int32
		for i, fd := range fields {
			if fd.name = strings.Trim(fd.name, " \t\r"); fd.name == "" || strings.ContainsRune(fd.name, 0) {
				fd.name = "X"
			}
			if !leadingSpace {
				fd.value = " " + strings.TrimPrefix(fd.value, " ")
			}
			fields[i] = fd
			header = append(appendCRLF(append(header, fd.name+":"...), []byte(fd.value)), "\r\n"...)
			ends = append(ends, int32(len(header)))
		}
		header = append(header, "\r\n"...)
		edits, isFew := editsOf(header, ends, leadingSpace)
		if !isFew {
			return
		}
		fields = append([]field{{"Received", ""}}, fields...)
		for _, e := range edits {
			value := e.value
			if !leadingSpace && (e.insert || value != "") {
				value = " " + value
			}
			value = strings.ReplaceAll(value, "\r\n", "\n")
			at := find(fields, e.name, e.index)
			switch {
			case e.insert:
				fields = append(fields[:e.index:e.index], append([]field{{e.name, value}}, fields[e.index:]...)...)
			case at < 0:
				t.Fatalf("there is no field %+v in %q", e, fields)
			case value == "":
				fields = append(fields[:at:at], fields[at+1:]...)
			default:
				fields[at].value = value
			}
		}
		var got []byte
		for _, fd := range fields[1:] {
			got = append(appendCRLF(append(got, fd.name+":"...), []byte(fd.value)), "\r\n"...)
		}
		got = append(got, "\r\n"...)
		if want, _ := verdictfield.Clean(header); !bytes.Equal(got, want) {
			t.Errorf("%q: got\n%q, want\n%q", header, got, want)
		}
	})
}

// FuzzClient sends anything, also behind a negotiation, and gets packets that a mail server understands.
func FuzzClient(f *testing.F) {
	e := verdict(f, filter.Spam, 1)
	s := newServer(e, &servetest.Log{})
	s.Working = context.Background()
	begin := negotiation(6, 0x1ff, 0x1fffff)
	f.Add([]byte(packet('M', "<a@b>\x00")+packet('R', "<a@b>\x00")+packet('L', "X-Spam-Flag\x00NO\x00")+packet('B', "body\r\n")+packet('E', "")+packet('Q', "")), true)
	f.Add([]byte(begin+packet('M', "")+packet('L', "A\x00b\n c\x00")+packet('A', "")+packet('M', "")+packet('E', "end")), false)
	f.Add([]byte(packet('D', "Mi\x00")+packet('C', "")+packet('N', "")+packet('K', "")), true)
	f.Fuzz(func(t *testing.T, data []byte, negotiated bool) {
		if negotiated {
			data = append([]byte(begin), data...)
		}
		conn := &script{in: bytes.NewReader(data)}
		newClient(s, &serve.Conn{Conn: conn}).Answer()
		got := conn.out.Bytes()
		for len(got) > 0 {
			if len(got) < 5 {
				t.Fatalf("the answers end in %q", got)
			}
			n := binary.BigEndian.Uint32(got)
			if n == 0 || int(n) > len(got)-4 || !strings.ContainsRune("Ocsymiq", rune(got[4])) {
				t.Fatalf("the answers go on with %q", got)
			}
			if value := got[5 : 4+n]; strings.ContainsRune("miq", rune(got[4])) && !bytes.HasSuffix(value, []byte{0}) {
				t.Errorf("not the end of a text: %q", value)
			}
			got = got[4+n:]
		}
	})
}

// script is a connection from a server that sends a text.
type script struct {
	net.Conn // for methods that are not used
	in       *bytes.Reader
	out      bytes.Buffer
}

func (s *script) Read(p []byte) (int, error)       { return s.in.Read(p) }
func (s *script) Write(p []byte) (int, error)      { return s.out.Write(p) }
func (s *script) Close() error                     { return nil }
func (s *script) RemoteAddr() net.Addr             { return &net.UnixAddr{Name: "client", Net: "unix"} }
func (s *script) SetReadDeadline(time.Time) error  { return nil }
func (s *script) SetWriteDeadline(time.Time) error { return nil }

// BenchmarkMessages sends messages of 3 kB over one connection, as Postfix does for one sender.
func BenchmarkMessages(b *testing.B) {
	s := start(b, newEngine(b, nil), nil).dial(b, newest)
	text := strings.Repeat("X-Field: some text of a field\n", 25) + "Subject: meeting\n\n" + strings.Repeat("agenda minutes report lottery winner\n", 60)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := deliver(s, milter.OptProtocol(newest), text, "anna@lab.example"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}
