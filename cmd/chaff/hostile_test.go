package main

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// hostileMail returns messages that are made to take much memory or time, by what they are full of. Each is a function of
// about how many bytes it has. Words that are chosen by the hashes of a model belong here as well, if a test knows its key.
func hostileMail() map[string]func(size int) []byte {
	const (
		html  = "Content-Type: text/html\n\n"
		mixed = "Content-Type: multipart/mixed; boundary=b\n\n"
		qp    = "Content-Transfer-Encoding: quoted-printable\n\n"
		b64   = "Content-Transfer-Encoding: base64\n\n"
	)
	all := map[string]func(size int) []byte{
		"plain text":                              filled("\n", "Words of a letter, as people write them.\n", ""),
		"lines that end in CR LF":                 filled("\r\n", "Words of a letter, as people write them.\r\n", ""),
		"line ends":                               filled("\n", "\r\n", ""),
		"one word of the full size":               filled("\n", "x", ""),
		"one word of letters beyond ASCII":        filled("\n", "é", ""),
		"ligatures that grow":                     filled("\n", "\ufdfa", ""),
		"ligatures that grow, word by word":       filled("\n", "\ufdfa ", ""),
		"ideographs":                              filled("\n", "東", ""),
		"different words":                         numbered("\n", "", "\n"),
		"different words beyond ASCII":            numbered("\n", "é", "\n"),
		"different words of one length class":     numbered("\n", strings.Repeat("long", 10), "\n"),
		"different words with signs for letters":  numbered("\n", "v1@gr", " "),
		"different words that are hidden":         numbered(html+"<p hidden>", "", "\n"),
		"different words in subjects":             numbered("", "Subject: a", "\n"),
		"different fields":                        numbered("", "X", ": y\n"),
		"fields of the longest value":             filled("", "X-A: "+strings.Repeat("words, ", 9000)+"\n", "\n"),
		"fields of folded bytes beyond ASCII":     filled("", "X-A: "+strings.Repeat("\xff\xe4\n ", 9000)+"\n", "\n"),
		"fields with long names":                  numbered("", strings.Repeat("X", 60000), ": y\n"),
		"folded fields about the content":         filled("Content-Type: a/b\n", "Content-Type: "+strings.Repeat("a\n b", 200)+"\n", "\n"),
		"encoded words":                           filled("", "Subject: "+strings.Repeat("=?windows-1251?q?=FF=FF?= ", 2000)+"\n", "\n"),
		"folds":                                   filled("A: b\n", " \n", "\n"),
		"parts":                                   filled(mixed, "--b\n\nwords\n", "--b--\n"),
		"parts with long headers":                 filled(mixed, "--b\nContent-Type: text/plain; x=\""+strings.Repeat("y ", 25000)+"\"\n\nwords\n", "--b--\n"),
		"parts of NUL":                            filled(mixed, "--b\n"+b64+strings.Repeat("A", 1<<16)+"\n", "--b--\n"),
		"parts of one text after the other":       filled(mixed, "--b\n"+html+strings.Repeat("<i>é\xff</i> ", 5000)+"\n", "--b--\n"),
		"multiparts in multiparts":                numbered("", "Content-Type: multipart/mixed; boundary=b\n\n--b", "\n"),
		"messages in messages":                    filled("", "Content-Type: message/rfc822\n\n", "text"),
		"files in a text":                         filled("\n`\n", "begin 644 a\n#86)C\n", ""),
		"a uuencoded file":                        filled("\nbegin 644 a.doc\n", "M"+strings.Repeat("`", 60)+"\n", "end\n"),
		"uuencoded files in parts":                filled(mixed, "--b\n\nbegin 644 a.doc\n"+strings.Repeat("M"+strings.Repeat("`", 60)+"\n", 1000)+"end\n", ""),
		"escapes":                                 filled(qp, "=41=\n", ""),
		"bytes of one-byte alphabets":             filled("Content-Type: text/plain; charset=windows-1251\n\n", "\xff\xfe ", ""),
		"half-width kana":                         filled("Content-Type: text/plain; charset=shift_jis\n\n", "\xb1\xb2", ""),
		"UTF-16":                                  filled("Content-Type: text/plain; charset=utf-16\n"+b64, base64.StdEncoding.EncodeToString([]byte("\xff\xfea\x00b\x00c\x00d\x00 \x00")), ""),
		"UTF-7":                                   filled("Content-Type: text/plain; charset=utf-7\n\n", "+/fr9+v36-", ""),
		"shifts":                                  filled("Content-Type: text/plain; charset=iso-2022-kr\n\n", "\x0e\x1b$)C\x0f", ""),
		"elements in elements":                    filled(html, "<div>a", ""),
		"tags without an end":                     filled(html, "<a b='><a b=\">", ""),
		"attributes of one tag":                   numbered(html+"<a ", "a", " "),
		"comments":                                filled(html, "a<!x>", ""),
		"a comment without an end":                filled(html+"<!--", "comment ", ""),
		"style rules":                             numbered(html+"<style>", ".c", "{color:red}\n"),
		"styles":                                  filled(html, "<a style='color:red;background:url(x) #fff'>a", ""),
		"entities":                                filled(html, "&nGt;", ""),
		"letters by their numbers":                filled(html, "&#1587;", ""),
		"links":                                   numbered(html, "<a href=http://", ".example/>a</a>"),
		"pictures in sets":                        filled(html+"<img srcset='", "a, ", "'>"),
		"written links":                           filled("\n", "a://b ", ""),
		"different written links":                 numbered("\n", "http://a.example/", " "),
		"mentions of a word in terms of its own":  numbered("\nSubject: a\n", "a ", "\n"),
		"addresses":                               numbered("", "To: a@b", ".example\n"),
		"an attachment":                           filled("Content-Type: application/pdf\n"+b64, strings.Repeat("QUJD", 19)+"\n", ""),
		"signs between letters":                   filled("\n", "v.i.a.g.r.a ", ""),
		"Korean in single letters":                filled("\n", "\u1112\u1161\u11ab", ""),
		"combining marks":                         filled("\ne", "\u0301\u0323", ""),
		"bytes that are nothing":                  filled("\n", "\x00\xff\x1b\x80", ""),
		"boundaries that nearly are the boundary": filled(mixed, "--b-\n--bb\n", ""),
	}
	for _, name := range []string{"ligatures that grow", "different words", "one word of the full size", "different words beyond ASCII"} {
		all[name+", in base64"] = inBase64("", all[name])
	}
	for _, name := range []string{"links", "styles", "different words that are hidden"} {
		all["a message in base64: "+name] = inBase64("Content-Type: message/rfc822\n", all[name])
	}
	for name, make := range all {
		// One line end is enough for a copy of the message in which all are the same.
		all[name] = func(size int) []byte {
			return append([]byte("X-Line: ends in CR LF\r\n"), make(size-64)...)
		}
	}
	return all
}

// filled returns messages that repeat one thing.
func filled(head, unit, tail string) func(size int) []byte {
	return func(size int) []byte {
		message := append(make([]byte, 0, size+len(unit)), head...)
		for len(message)+len(unit)+len(tail) <= size {
			message = append(message, unit...)
		}
		return append(message, tail...)
	}
}

// numbered returns messages that repeat one thing with another word in it each time.
func numbered(head, before, after string) func(size int) []byte {
	return func(size int) []byte {
		message := append(make([]byte, 0, size), head...)
		for n := uint64(1); ; n++ {
			was := len(message)
			message = append(message, before...)
			message = strconv.AppendUint(message, n*0x9e3779b97f4a7c15>>24, 36)
			if message = append(message, after...); len(message) > size {
				return message[:was]
			}
		}
	}
}

// inBase64 returns messages whose body is another message in base64.
func inBase64(head string, inner func(size int) []byte) func(size int) []byte {
	const line = 57 // bytes of a line of 76 characters
	return func(size int) []byte {
		head := head + "Content-Transfer-Encoding: base64\n\n"
		content := inner((size - len(head)) / 77 * line)
		message := append(make([]byte, 0, size), head...)
		for len(content) > 0 {
			n := min(line, len(content))
			message = append(base64.StdEncoding.AppendEncode(message, content[:n]), '\n')
			content = content[n:]
		}
		return message
	}
}
