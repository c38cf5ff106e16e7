package message_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"chaff/corpus/sample"
	"chaff/message"
	"chaff/test/corpustest"
)

// benchMail is a message of a kind that most mail is of.
type benchMail struct{ name, raw string }

func benchMails() []benchMail {
	const header = "Return-Path: <ann@shop.example>\nReceived: from mail.shop.example (mail.shop.example [192.0.2.7])\n" +
		"\tby mx.home.example with ESMTP id 4711; Mon, 5 Jan 2026 10:00:00 +0000\nFrom: Ann <ann@shop.example>\n" +
		"To: bob@home.example\nDate: Mon, 5 Jan 2026 10:00:00 +0000\nMessage-ID: <1@shop.example>\nMIME-Version: 1.0\n"
	plain := strings.Repeat("The quick brown fox jumps over the lazy dog, then writes a letter about it.\n", 50)
	html := "<html><head><style>td { color: #333 }</style></head><body><table>" + strings.Repeat(
		"<tr><td align=\"left\"><a href=\"https://shop.example/item?id=7&amp;ref=mail\">Item</a></td>"+
			"<td><font face=\"Arial\">Now only <b>5&nbsp;&euro;</b> a piece, while stocks last.</font></td></tr>\n", 30) +
		"</table></body></html>\n"
	encoded := base64.StdEncoding.EncodeToString([]byte(plain))
	return []benchMail{
		{"plain", header + "Subject: a letter\n\n" + plain},
		{"plain with links", header + "Subject: a letter\n\n" + strings.ReplaceAll(plain, "fox", "https://fox.example/")},
		{"plain CRLF", strings.ReplaceAll(header+"Subject: a letter\n\n"+plain, "\n", "\r\n")},
		{"quoted-printable latin-1", header + "Subject: =?iso-8859-1?q?caf=E9?=\nContent-Type: text/plain; charset=iso-8859-1\n" +
			"Content-Transfer-Encoding: quoted-printable\n\n" + strings.ReplaceAll(plain, "fox", "f=F6x")},
		{"koi8-r undeclared", header + "Subject: a letter\n\n" + strings.Repeat(
			"\xdb\xd5\xd3\xd4\xd2\xc1\xd1 \xcb\xcf\xd2\xc9\xde\xce\xc5\xd7\xc1\xd1 \xcc\xc9\xd3\xc1\n", 180)},
		{"base64", header + "Content-Transfer-Encoding: base64\n\n" + encoded},
		{"html", header + "Subject: offers\nContent-Type: text/html; charset=utf-8\n\n" + html},
		{"alternative", header + fmt.Sprintf("Subject: offers\nContent-Type: multipart/alternative; boundary=\"=_cut\"\n\n"+
			"--=_cut\nContent-Type: text/plain\n\n%s\n--=_cut\nContent-Type: text/html\n\n%s\n--=_cut--\n", plain, html)},
		{"attachment", header + fmt.Sprintf("Subject: a report\nContent-Type: multipart/mixed; boundary=\"=_cut\"\n\n"+
			"--=_cut\n\n%s\n--=_cut\nContent-Type: text/plain; name=\"report.txt\"\nContent-Transfer-Encoding: base64\n"+
			"Content-Disposition: attachment; filename*=utf-8''r%%C3%%A9sum%%C3%%A9.txt\n\n%s\n--=_cut\n"+
			"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n%s\n--=_cut--\n", plain, encoded, encoded)},
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, mail := range benchMails() {
		b.Run(mail.name, func(b *testing.B) {
			d := message.NewDecoder(message.DefaultOptions())
			raw := []byte(mail.raw)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				d.Decode(raw)
			}
		})
	}
}

// samples returns the messages of the sample corpus.
func samples(t testing.TB) (mails [][]byte) {
	t.Helper()
	for _, raw := range corpustest.Each(t, sample.Source()) {
		mails = append(mails, raw)
	}
	return mails
}

// BenchmarkDecodeCorpus decodes all messages of the sample corpus, and of the public corpora if there are any, one after the
// other.
func BenchmarkDecodeCorpus(b *testing.B) {
	b.Run("sample", func(b *testing.B) { benchmarkAll(b, samples(b)) })
	for _, c := range corpora() {
		b.Run(c.name, func(b *testing.B) {
			var mails [][]byte
			for _, file := range corpusFiles(b, corporaDir(b), c.folders) {
				raw, err := os.ReadFile(file)
				if err != nil {
					b.Fatal(err)
				}
				mails = append(mails, raw)
			}
			benchmarkAll(b, mails)
		})
	}
}

// benchmarkAll reports MB/s, and allocations per message.
func benchmarkAll(b *testing.B, mails [][]byte) {
	d := message.NewDecoder(message.DefaultOptions())
	size := 0
	for _, raw := range mails {
		d.Decode(raw) // the decoder gets its memory
		size += len(raw)
	}
	b.SetBytes(int64(size))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		for _, raw := range mails {
			d.Decode(raw)
		}
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N*len(mails)), "allocs/message")
}
