package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeMessage(t *testing.T, dir, name string, raw []byte) {
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, name), raw, 0o644))
}

// hostileTexts are what senders write who want a reader to run, load or misread something.
func hostileTexts() []string {
	return []string{
		`<script>alert(1)</script>`,
		`</style></title></table><script src=http://tracker.example/a.js></script>`,
		`<img src=x onerror=alert(1)>`,
		`"><svg onload=alert(1)>`,
		`' onmouseover='alert(1)`,
		`javascript:alert(document.domain)`,
		`<a href="javascript:alert(1)">here</a>`,
		`<iframe src=http://tracker.example/></iframe><object data=x></object>`,
		`{{.Title}} ${7*7} <!-- --> ]]> &lt;script&gt; &#60;b&#62;`,
		"bell\a escape\x1b[31m null\x00 delete\x7f",
		"turned \u202etxt.exe\u202c \u2066inner\u2069 \u200bzero \ufeffmark",
		"broken \xff\xfe\xc3( \xed\xa0\x80 utf-8",
		strings.Repeat("longword", 300),
		strings.Repeat("w\u0301\u0323", 200),
		`<style>body{display:none}</style><link rel=stylesheet href=http://tracker.example/s.css>`,
		`<meta http-equiv=refresh content="0;url=http://tracker.example/">`,
	}
}

// hostileNames are names of classes that try the same.
func hostileNames() []string {
	return []string{`<script>alert(1)<`, `" onerror="alert(1)`, "javascript:alert(1)"}
}

// writeHostileMail writes messages that attack a page into a folder of dir for each class. Words of each class make them
// different enough to be learned.
func writeHostileMail(t *testing.T, dir string, classes []string) {
	words := [][]string{{"minutes", "agenda", "garden"}, {"casino", "lottery", "winner"}, {"verse", "sonnet", "rhyme"}}
	texts := hostileTexts()
	for class, name := range classes {
		for i := range 24 {
			of := words[class]
			// The last of each class have words of another, so that there are mistakes to show.
			if i > 19 {
				of = words[(class+1)%len(classes)]
			}
			text, other := texts[i%len(texts)], texts[(5*i+class)%len(texts)]
			folded := strings.NewReplacer("\x00", "", "\n", " ").Replace(text)
			raw := fmt.Sprintf("From: \"%s\" <sender%d@tracker.example>\nDate: Mon, %d Feb 2003 10:00:00 +0000\nSubject: %s %s %d\nX-Odd: %s\nMIME-Version: 1.0\n"+
				"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\n\n%s %s and %s %d.\n\n\n\n\n%s\n"+
				"--b\nContent-Type: text/html; charset=utf-8\n\n<p>%s %s<img src=http://tracker.example/%d.png onload=alert(1)>"+
				"<script>fetch('http://tracker.example/')</script><p style=display:none>%s</p>\n"+
				"--b\nContent-Type: application/octet-stream; name=\"%s.html\"\n\n%s\n--b--\n",
				folded, i, 1+i, of[i%3], folded, i, folded,
				of[i%3], of[(i+1)%3], of[(i+2)%3], i, text, of[i%3], other, i, other, strings.ReplaceAll(folded, `"`, `\"`), text)
			writeMessage(t, filepath.Join(dir, name), hostileFile(i), []byte(raw))
		}
	}
}

// hostileFile is the name of a message's file.
func hostileFile(i int) string {
	texts := []string{`<img src=x onerror=alert(1)>`, "\u202elme", `"quoted'`, "broken\xff", "line\nend", "javascript:alert(1)"}
	return fmt.Sprintf("%02d %s.eml", i, texts[i%len(texts)])
}
