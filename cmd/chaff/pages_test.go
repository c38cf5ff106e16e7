package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"chaff/test/testmain"
)

// keptPages is the variable of the environment with the folder where screenshots are kept for people.
const keptPages = "TEST_PAGES"

// madePage is a page and where it is.
type madePage struct{ name, path string }

// TestInABrowser opens the pages of reports and the console in one headless Chromium, which takes longer to start than to show pages.
func TestInABrowser(t *testing.T) {
	t.Parallel()
	if !testmain.IsLong() && os.Getenv(keptPages) == "" {
		t.Skip("a browser takes ten seconds: set TEST_CORPORA to a folder with the corpora sa and enron (see docs/inside/results.md)")
	}
	chromium := findChromium(t)
	var network proxy
	server := httptest.NewServer(&network)
	defer server.Close()
	b := startBrowser(t, chromium, server.URL)
	for name, test := range map[string]func(*testing.T, *browser, *proxy){"pages": testPages, "console": testConsole} {
		t.Run(name, func(t *testing.T) {
			b.t = t
			test(t, b, &network)
		})
	}
	b.t = t
}

// testPages makes every kind of page, from the sample mail and from mail that attacks its reader, and opens each on a phone and on a
// desk.
func testPages(t *testing.T, b *browser, network *proxy) {
	pages := makePages(t, t.TempDir())
	for _, page := range pages {
		t.Run(page.name, func(t *testing.T) {
			b.t = t
			b.open(page.path)
			b.checkViews(page.name, 360, 1280)
			b.checkPrint()
			if strings.HasPrefix(page.name, "explain") {
				b.checkTerms()
			}
			for _, problem := range b.problems(page.path) {
				t.Error(problem)
			}
		})
	}
	b.t = t
	if asked := network.hosts("tracker.example"); len(asked) > 0 {
		t.Errorf("the network was asked for %q", asked)
	}
	b.checkBadPage()
}

// checkViews looks at the open page on a phone and on a desk, whose widths are given, light and dark.
func (b *browser) checkViews(name string, phone, desk int) {
	b.t.Helper()
	type view struct {
		width  int
		scheme string
	}
	for _, v := range []view{{phone, "light"}, {phone, "dark"}, {desk, "light"}, {desk, "dark"}} {
		b.prefer(v.scheme)
		b.resize(v.width, 800)
		b.checkWidth(v.width)
		b.checkContrast(name + ", " + v.scheme)
		b.checkScreenshot(v.width, fmt.Sprintf("%s-%d-%s.png", name, v.width, v.scheme))
	}
}

// checkWidth finds out whether the page can be read without moving it sideways.
func (b *browser) checkWidth(width int) {
	b.t.Helper()
	var wide struct {
		Page   int
		Widest []string
	}
	b.evaluate(`({Page: Math.max(document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth),
		Widest: [...document.querySelectorAll('main *, header *')].filter(e => !e.closest('.scroll') && e.getBoundingClientRect().right > innerWidth)
			.map(e => e.localName + '.' + e.className)})`, &wide)
	if wide.Page != width || len(wide.Widest) > 0 {
		b.t.Errorf("the page is %d wide in a window of %d; too wide: %q", wide.Page, width, wide.Widest)
	}
}

// checkPrint finds out whether all of each table is on paper, where nothing moves and no fold opens.
func (b *browser) checkPrint() {
	b.t.Helper()
	b.call("Emulation.setEmulatedMedia", object{"media": "print"})
	b.resize(720, 1000) // A4 with margins
	var cut []string
	b.evaluate(`[...document.querySelectorAll('table')].filter(e => !e.checkVisibility() || e.getBoundingClientRect().width < 10 ||
		e.scrollWidth > innerWidth || getComputedStyle(e.parentElement).overflow != 'visible').map(e => e.scrollWidth + ' ' + e.textContent.trim().slice(0, 40))`, &cut)
	if len(cut) > 0 {
		b.t.Errorf("tables are cut when printed: %q", cut)
	}
	b.call("Emulation.setEmulatedMedia", object{"media": ""})
}

// checkTerms finds out whether the terms of a word are shown to readers who tap it, or who move to it with the tab key.
func (b *browser) checkTerms() {
	b.t.Helper()
	b.resize(360, 800)
	const word = "document.querySelector('.text span[tabindex]')"
	shown := func() (display string) {
		b.evaluate("getComputedStyle("+word+".querySelector('.tip')).display", &display)
		return display
	}
	if got := shown(); got != "none" {
		b.t.Fatalf("the terms of a word are shown before it is asked for: %s", got)
	}
	var at struct{ X, Y float64 }
	b.evaluate(word+".scrollIntoView(), (r => ({X: r.left + r.width/2, Y: r.top + r.height/2}))("+word+".getClientRects()[0])", &at)
	b.call("Input.dispatchTouchEvent", object{"type": "touchStart", "touchPoints": []object{{"x": at.X, "y": at.Y}}})
	b.call("Input.dispatchTouchEvent", object{"type": "touchEnd", "touchPoints": []object{}})
	b.evaluate("new Promise(done => setTimeout(done, 500, true))", new(bool))
	if got := shown(); got != "block" {
		b.t.Errorf("the terms of a word that is tapped: got display %s", got)
	}
	b.evaluate("document.activeElement.blur(), document.querySelector('nav a:last-of-type').focus(), true", new(bool))
	inText := false
	for range 5 { // there may be tables between the links and the words
		if b.evaluate("document.activeElement.matches('.text span')", &inText); inText {
			break
		}
		b.press("Tab")
	}
	var display string
	b.evaluate("(e => e ? getComputedStyle(e).display : 'no word has the focus')(document.activeElement.querySelector('.tip'))", &display)
	if display != "block" {
		b.t.Errorf("the terms of a word that has the focus: got display %s", display)
	}
}

// checkScreenshot finds out whether there is anything to be seen.
func (b *browser) checkScreenshot(width int, name string) {
	b.t.Helper()
	folder := os.Getenv(keptPages)
	if folder != "" { // people want to see all of the page
		var height int
		b.evaluate("document.documentElement.scrollHeight", &height)
		b.resize(width, min(height, 16000))
		b.evaluate("new Promise(drawn => setTimeout(drawn, 300, true))", new(bool))
	}
	data := b.screenshot()
	if folder != "" {
		must(b.t, os.MkdirAll(folder, 0o755))
		must(b.t, os.WriteFile(filepath.Join(folder, name), data, 0o644))
	}
	picture, err := png.Decode(bytes.NewReader(data))
	must(b.t, err)
	if got := picture.Bounds().Dx(); got != width {
		b.t.Errorf("%s is %d pixels wide, want %d", name, got, width)
	}
	if n := colours(picture, 50); n < 10 {
		b.t.Errorf("%s has %d colours: it is as good as blank", name, n)
	}
}

// colours counts the colours of a picture, up to a limit.
func colours(picture image.Image, limit int) int {
	seen := make(map[[3]uint32]bool)
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			r, g, b, _ := picture.At(x, y).RGBA()
			if seen[[3]uint32{r, g, b}] = true; len(seen) == limit {
				return limit
			}
		}
	}
	return len(seen)
}

// problems returns what the open page has, did or asked for that it must not.
func (b *browser) problems(path string) []string {
	b.t.Helper()
	all := b.said()
	for _, address := range b.requested(path) {
		all = append(all, "asked for "+address)
	}
	var elements []struct {
		Name       string
		Attributes [][2]string
	}
	b.evaluate(`[...document.querySelectorAll('*')].map(e => ({Name: e.localName, Attributes: [...e.attributes].map(a => [a.name, a.value])}))`, &elements)
	for _, e := range elements {
		if !slices.Contains(strings.Fields(ownElements), e.Name) {
			all = append(all, "has an element "+e.Name)
		}
		for _, a := range e.Attributes {
			if !ownAttribute(a[0], a[1]) {
				all = append(all, fmt.Sprintf("has an attribute %s=%.100q", a[0], a[1]))
			}
		}
	}
	return all
}

// ownElements are the elements that the page's template has.
const ownElements = `html head meta title link style body header h1 p dl dt dd bdi ul li nav a main section h2 div figure img figcaption
	table caption thead tbody tr th td span ol details summary`

// ownAttribute says whether the page's template has such an attribute.
func ownAttribute(name, value string) bool {
	switch name {
	case "href":
		return strings.HasPrefix(value, "#") || value == "data:,"
	case "src":
		return strings.HasPrefix(value, "data:image/svg+xml;base64,")
	case "http-equiv":
		return value == "Content-Security-Policy"
	}
	return slices.Contains([]string{"lang", "charset", "name", "content", "rel", "class", "id", "alt", "scope", "dir", "tabindex", "role", "aria-label"}, name)
}

// checkBadPage makes sure that a page which does what ours must not is found out.
func (b *browser) checkBadPage() {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "bad.html")
	must(b.t, os.WriteFile(path, []byte(`<title>bad</title><script>console.log("ran")</script><img src=http://tracker.example/a.png onerror="b()">`), 0o644))
	b.open(path)
	found := strings.Join(b.problems(path), "\n")
	for _, want := range []string{"ran", "asked for http://tracker.example/a.png", "has an element script", "has an attribute onerror", "has an attribute src"} {
		if !strings.Contains(found, want) {
			b.t.Errorf("of a bad page it was not found that it %s; found:\n%s", want, found)
		}
	}
}

// makePages makes pages of every kind, in dir.
func makePages(t *testing.T, dir string) []madePage {
	in := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.Symlink(sampleDir(), in("sample")))
	writeHostileMail(t, in("hostile"), []string{"ham", "spam"})
	writeHostileMail(t, in("classes"), hostileNames())
	sampleMail := []string{"--ham", in("sample/ham"), "--spam", in("sample/spam")}
	hostileMail := []string{"--ham", in("hostile/ham"), "--spam", in("hostile/spam")}
	classes := []string{"--folders", in("classes"), "--set", "split.method=hash", "--set", "split.train=0.4", "--set", "split.development=0.3", "--set", "split.test=0.3"}
	var pages []madePage
	add := func(name, command string, mail ...string) {
		page := madePage{name, in(name + ".html")}
		pages = append(pages, page)
		args := strings.Fields(command)
		for i, arg := range args { // files are those of the test
			if strings.HasPrefix(arg, "@") {
				args[i] = in(arg[1:])
			}
		}
		args = append(append(args, page.path), mail...)
		if got := chaff(t, dir, args...); got.code != 0 {
			t.Fatalf("chaff %q: %v", args, got)
		}
	}
	add("train", "train -m @sample.model --report", sampleMail...)
	add("train-hostile", "train -m @hostile.model --report", hostileMail...)
	add("train-classes", "train -m @classes.model --model softmax --report", classes...)
	add("compare", "compare --report", sampleMail...)
	add("compare-classes", "compare --report", classes...)
	add("evaluate", "evaluate -m @sample.model --report", sampleMail...)
	add("evaluate-hostile", "evaluate -m @hostile.model --report", hostileMail...)
	add("compare-folds", "compare --models votes --folds 3 --report", sampleMail...)
	add("compare-folds-hostile", "compare --models votes --folds 3 --report", hostileMail...)
	add("explain", "explain -m @sample.model --html", in("sample/spam/"+firstFile(t, in("sample/spam"))))
	for i := range hostileTexts() {
		if i%3 == 0 {
			add(fmt.Sprintf("explain-hostile-%d", i), "explain -m @hostile.model --html", in("hostile/ham/"+hostileFile(i)))
		}
	}
	return pages
}

func firstFile(t *testing.T, dir string) string {
	entries, err := os.ReadDir(dir)
	must(t, err)
	return entries[0].Name()
}

// proxy is a network with one server at most, and which keeps what it was asked for.
type proxy struct {
	mu     sync.Mutex
	asked  []string
	server *url.URL
}

// lead makes the network lead to a server.
func (p *proxy) lead(address string) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.server, err = url.Parse(address)
	return err
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Host)
	server := p.server
	p.mu.Unlock()
	if server != nil && server.Host == r.Host {
		(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(server); r.Out.Host = r.In.Host }}).ServeHTTP(w, r)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
	w.WriteHeader(http.StatusNotFound)
}

// hosts returns the requests for a host. The browser may have its own.
func (p *proxy) hosts(name string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.asked), func(host string) bool { return !strings.Contains(host, name) })
}
