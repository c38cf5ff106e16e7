package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chaff/filter"
	"chaff/serve"
	"chaff/serve/web"
)

// startConsole serves a model of the sample mail over HTTP, with some verdicts in its history, unsure messages, and corrections. It
// returns the address of the server and its token.
func startConsole(t *testing.T) (address, token string) {
	h := newHome(t, "")
	model := h.path("model")
	writeStore(t, model)
	o := serve.DefaultOptions()
	o.Model, o.KeepUnsure, o.KeepHistory, o.HistorySubjects = model, 20, 100, true
	e, err := serve.New(t.Context(), o, quietLog{})
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	running, err := web.Open(l, e, quietLog{})
	must(t, err)
	go func() { ended <- running(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	unsure := 0
	for i, raw := range mixedMail(t) {
		v, err := e.Judge(t.Context(), serve.Origin{}, raw)
		must(t, err)
		if v.Verdict == filter.Unsure {
			unsure++
		} else if i%2 == 0 {
			_, err := e.Learn(t.Context(), serve.Origin{}, raw, []string{"ham", "spam"}[i/2%2])
			must(t, err)
		}
	}
	if unsure < 3 {
		t.Fatalf("%d messages are unsure: change mixedMail", unsure)
	}
	address = "http://" + l.Addr().String()
	for { // until the server has made its token
		if answer, err := http.Get(address + "/ping"); err == nil {
			answer.Body.Close()
			http.DefaultClient.CloseIdleConnections()
			break
		}
	}
	data, err := os.ReadFile(model + ".token")
	must(t, err)
	return address, strings.TrimSpace(string(data))
}

// quietLog is a logger that says nothing.
type quietLog struct{}

func (quietLog) Note(string, ...any) {}
func (quietLog) Warn(string, ...any) {}

// mixedMail returns messages of which some are unsure: the header of a message with the text of one of the other class.
func mixedMail(t *testing.T) (all [][]byte) {
	ham, spam := sampleFiles(t, "ham"), sampleFiles(t, "spam")
	for i := range 60 {
		head, _, _ := strings.Cut(ham[i], "\n\n")
		_, text, _ := strings.Cut(spam[i], "\n\n")
		if i%3 == 0 {
			head, _, _ = strings.Cut(spam[i], "\n\n")
			_, text, _ = strings.Cut(ham[i], "\n\n")
		}
		all = append(all, []byte(head+"\n\n"+text))
	}
	return append(all, []byte(fmt.Sprintf("From: \"%s\" <a@b.example>\nSubject: %s</title><script>alert(1)</script>\n\n%s\n", "<img src=x>", "\u202e", spam[0][:200])))
}

// sampleFiles returns the messages of a class of the sample mail.
func sampleFiles(t *testing.T, class string) (all []string) {
	files, err := filepath.Glob(filepath.Join(sampleDir(), class, "*"))
	must(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		must(t, err)
		all = append(all, string(data))
	}
	if len(all) < 100 {
		t.Fatalf("%d messages", len(all))
	}
	return all
}

// testConsole signs in to the console and teaches an unsure message with the keyboard alone, and looks at every page on a phone and
// on a desk, light and dark.
func testConsole(t *testing.T, b *browser, network *proxy) {
	address, token := startConsole(t)
	must(t, network.lead(address))
	b.visit(address + "/")
	b.look("login")
	b.call("Input.insertText", object{"text": token}) // the field has the focus
	b.follow("Enter")
	b.mustBe("Overview")
	b.press("Tab")
	if focus := b.focus(); focus != "Skip to the content" {
		t.Errorf("the first stop of the tab key is %q", focus)
	}
	b.moveTo("Unsure")
	b.follow("Enter")
	b.mustBe("Unsure")
	waiting := b.count(".messages > li")
	var clipped bool
	if b.evaluate("[...document.querySelectorAll('.subject')].every(e => getComputedStyle(e).overflowY == 'hidden')", &clipped); !clipped {
		t.Error("marks above the letters of a subject can cover the page")
	}
	b.moveTo("It is spam")
	b.follow("Enter")
	if left := b.count(".messages > li"); left != waiting-1 || b.count(".notice") != 1 {
		t.Errorf("%d messages wait after %d", left, waiting)
	}
	waiting = b.count(".messages > li")
	var ticked bool
	b.evaluate("(document.querySelector('input.tick').click(), true)", &ticked)
	b.moveTo("are spam")
	b.follow("Enter")
	if left := b.count(".messages > li"); left != waiting-1 || b.count(".notice") != 1 {
		t.Errorf("%d messages wait after %d, of which one was ticked", left, waiting)
	}
	b.moveTo("Why?")
	b.follow("Enter")
	b.mustBe("Why?")
	b.look("why")
	for _, page := range []string{"", "unsure", "history", "thresholds"} {
		b.visit(address + "/" + page)
		name := page
		if page == "" {
			name = "overview"
		}
		b.look(name)
	}
	b.visit(address + "/none")
	b.look("problem")
	b.visit(address + "/history")
	b.moveTo("Sign out")
	b.follow("Enter")
	b.mustBe("Sign in")
	b.visit(address + "/history")
	b.mustBe("Sign in")
}

// focus returns the text of what has the focus.
func (b *browser) focus() (text string) {
	b.t.Helper()
	b.evaluate("document.activeElement.innerText", &text)
	return strings.TrimSpace(text)
}

// moveTo presses the tab key until something with a text has the focus, and can be seen to have it.
func (b *browser) moveTo(text string) {
	b.t.Helper()
	for range 60 {
		if b.focus() == text {
			var outline string
			if b.evaluate("getComputedStyle(document.activeElement).outlineStyle", &outline); outline == "none" {
				b.t.Errorf("nobody sees that %q has the focus", text)
			}
			return
		}
		b.press("Tab")
	}
	b.t.Fatalf("the tab key does not reach %q", text)
}

// follow presses a key and waits for the page that it leads to.
func (b *browser) follow(key string) {
	b.t.Helper()
	b.events = nil
	b.press(key)
	b.waitForPage()
}

func (b *browser) mustBe(title string) {
	b.t.Helper()
	var got string
	if b.evaluate("document.querySelector('h1').innerText", &got); got != title {
		b.t.Fatalf("this is the page %q, not %q", got, title)
	}
}

func (b *browser) count(selector string) (n int) {
	b.t.Helper()
	b.evaluate(fmt.Sprintf("document.querySelectorAll(%q).length", selector), &n)
	return n
}

// look looks at the open page of the console.
func (b *browser) look(name string) {
	b.t.Helper()
	b.checkViews("console-"+name, 400, 1200)
	if n := b.count("script, [style], [onerror], [onload], img:not([src^='data:image/svg+xml;base64,']), iframe"); n != 0 {
		b.t.Errorf("%s has %d elements that it must not have", name, n)
	}
	for _, line := range b.said() {
		if name == "problem" && strings.Contains(line, "404") || name == "login" && strings.Contains(line, "401") {
			continue // the browser reports the status
		}
		b.t.Errorf("%s: %s", name, line)
	}
}
