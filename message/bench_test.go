package message_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"chaff/message"
)

func BenchmarkDecode(b *testing.B) {
	const header = "Return-Path: <ann@shop.example>\nReceived: from mail.shop.example (mail.shop.example [192.0.2.7])\n" +
		"\tby mx.home.example with ESMTP id 4711; Mon, 5 Jan 2026 10:00:00 +0000\nFrom: Ann <ann@shop.example>\n" +
		"To: bob@home.example\nDate: Mon, 5 Jan 2026 10:00:00 +0000\nMessage-ID: <1@shop.example>\nMIME-Version: 1.0\n"
	plain := strings.Repeat("The quick brown fox jumps over the lazy dog, then writes a letter about it.\n", 50)
	html := "<html><head><style>td { color: #333 }</style></head><body><table>" + strings.Repeat(
		"<tr><td align=\"left\"><a href=\"https://shop.example/item?id=7&amp;ref=mail\">Item</a></td>"+
			"<td><font face=\"Arial\">Now only <b>5&nbsp;&euro;</b> a piece, while stocks last.</font></td></tr>\n", 30) +
		"</table></body></html>\n"
	encoded := base64.StdEncoding.EncodeToString([]byte(plain))
	mails := []struct{ name, raw string }{
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
	}
	for _, mail := range mails {
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
