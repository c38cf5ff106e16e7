package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// browser is a headless Chromium with one page, driven over two pipes by its DevTools protocol: messages are JSON, each
// ends in a zero byte. Source: https://chromedevtools.github.io/devtools-protocol/
type browser struct {
	t       *testing.T
	to      *os.File
	from    *os.File
	reader  *bufio.Reader
	last    int
	session string
	events  []protocolMessage // since the last page was opened
}

type protocolMessage struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// object is an object of JSON.
type object map[string]any

// patience is how long the browser may take for one answer, on a machine with much else to do.
const patience = 60 * time.Second

// findChromium returns the path of a browser, and skips the test if there is none.
func findChromium(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("needs Chromium: apt-get install chromium")
	return ""
}

// startBrowser starts Chromium, which reaches the network through the proxy alone.
func startBrowser(t *testing.T, path, proxy string) *browser {
	ctx, stop := context.WithCancel(context.Background()) // that of the test ends before its clean-up
	command := exec.CommandContext(ctx, path, "--headless", "--in-process-gpu", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
		"--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-default-apps", "--disable-extensions", "--proxy-server="+proxy, "--proxy-bypass-list=<-loopback>",
		"--user-data-dir="+filepath.Join(t.TempDir(), "profile"), "about:blank")
	theirs, to, err := os.Pipe()
	must(t, err)
	from, answers, err := os.Pipe()
	must(t, err)
	command.ExtraFiles = []*os.File{theirs, answers} // which it has as 3 and 4
	must(t, command.Start())
	theirs.Close()
	answers.Close()
	b := &browser{t: t, to: to, from: from, reader: bufio.NewReader(from)}
	t.Cleanup(func() {
		if t.Failed() {
			stop()
			_ = command.Wait()
			return
		}
		b.session = ""
		b.call("Browser.close", nil)
		late := time.AfterFunc(patience, stop)
		defer late.Stop()
		if err := command.Wait(); err != nil {
			t.Errorf("the browser ended with %v", err)
		}
		to.Close()
		from.Close()
	})
	var session struct{ SessionID string }
	b.result("Target.attachToTarget", object{"targetId": b.firstPage(), "flatten": true}, &session)
	b.session = session.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil)
	}
	return b
}

// firstPage returns the ID of the page that the browser starts with. Another one would be another process.
func (b *browser) firstPage() (id string) {
	b.t.Helper()
	b.call("Target.setDiscoverTargets", object{"discover": true})
	for {
		for _, e := range b.events {
			var created struct {
				TargetInfo struct{ TargetID, Type string }
			}
			must(b.t, json.Unmarshal(e.Params, &created))
			if e.Method == "Target.targetCreated" && created.TargetInfo.Type == "page" {
				return created.TargetInfo.TargetID
			}
		}
		b.read("Target.targetCreated")
	}
}

// call sends a command and returns its result. What the browser tells meanwhile is kept.
func (b *browser) call(method string, params object) json.RawMessage {
	b.t.Helper()
	b.last++
	command := object{"id": b.last, "method": method}
	if params != nil {
		command["params"] = params
	}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	data, err := json.Marshal(command)
	must(b.t, err)
	_, err = b.to.Write(append(data, 0))
	must(b.t, err)
	for {
		m := b.read(method)
		if m.ID != b.last {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error)
		}
		return m.Result
	}
}

// result is call with the result taken apart.
func (b *browser) result(method string, params object, result any) {
	b.t.Helper()
	must(b.t, json.Unmarshal(b.call(method, params), result))
}

// read reads the next message, and keeps it if it is an event.
func (b *browser) read(waitingFor string) protocolMessage {
	b.t.Helper()
	must(b.t, b.from.SetReadDeadline(time.Now().Add(patience)))
	data, err := b.reader.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("waiting for %s: %v", waitingFor, err)
	}
	var m protocolMessage
	must(b.t, json.Unmarshal(data[:len(data)-1], &m))
	if m.Method != "" {
		b.events = append(b.events, m)
	}
	return m
}

// open opens a file and waits until it and its images are there.
func (b *browser) open(path string) {
	b.t.Helper()
	b.visit(fileURL(path))
}

// visit opens an address and waits until the page and its images are there.
func (b *browser) visit(url string) {
	b.t.Helper()
	b.events = nil
	var opened struct{ ErrorText string }
	b.result("Page.navigate", object{"url": url}, &opened)
	if opened.ErrorText != "" {
		b.t.Fatalf("open %s: %s", url, opened.ErrorText)
	}
	b.waitForPage()
}

// waitForPage waits until the page that comes is there.
func (b *browser) waitForPage() {
	b.t.Helper()
	loaded := func(m protocolMessage) bool { return m.Method == "Page.loadEventFired" }
	for !slices.ContainsFunc(b.events, loaded) {
		b.read("Page.loadEventFired")
	}
}

// press presses a key: Tab or Enter.
func (b *browser) press(key string) {
	b.t.Helper()
	code := map[string]int{"Tab": 9, "Enter": 13}[key]
	down := object{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code}
	if key == "Enter" {
		down["text"] = "\r"
	}
	b.call("Input.dispatchKeyEvent", down)
	b.call("Input.dispatchKeyEvent", object{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code})
}

// resize gives the window a size.
func (b *browser) resize(width, height int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", object{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
}

// prefer makes the page think that its reader prefers a colour scheme, light or dark.
func (b *browser) prefer(scheme string) {
	b.t.Helper()
	b.call("Emulation.setEmulatedMedia", object{"features": []object{{"name": "prefers-color-scheme", "value": scheme}}})
}

// evaluate evaluates an expression in the page, and waits if it is a promise. It does so for the test: the page's own
// policy stays as it is.
func (b *browser) evaluate(expression string, value any) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.result("Runtime.evaluate", object{"expression": expression, "returnByValue": true, "awaitPromise": true}, &answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, answer.ExceptionDetails)
	}
	must(b.t, json.Unmarshal(answer.Result.Value, value))
}

// contrasts is a script that returns the texts whose contrast with what is behind them is below 4.5:1, as WCAG 2.1 (1.4.3) asks for.
const contrasts = `(() => {
	const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
	const once = compute => {
		const known = new Map();
		return of => {
			if (!known.has(of)) known.set(of, compute(of));
			return known.get(of);
		};
	};
	const rgba = once(colour => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = colour;
		canvas.fillRect(0, 0, 1, 1);
		return [...canvas.getImageData(0, 0, 1, 1).data];
	});
	const over = (top, below) => top.slice(0, 3).map((v, i) => v * top[3] / 255 + below[i] * (1 - top[3] / 255));
	const luminance = colour => {
		const [r, g, b] = colour.map(v => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const paper = matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
	const behindTextOf = once(e => over(rgba(getComputedStyle(e).backgroundColor), e.parentElement ? behindTextOf(e.parentElement) : paper));
	const bad = [];
	for (const e of document.body.querySelectorAll('*')) {
		const hasText = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
		if (!hasText || !e.getClientRects().length || e.closest('[aria-hidden=true], title, defs, style, script')) continue;
		const ground = behindTextOf(e);
		const style = getComputedStyle(e);
		const ink = luminance(over(rgba(e instanceof SVGElement ? style.fill : style.color), ground)), behind = luminance(ground);
		const ratio = (Math.max(ink, behind) + 0.05) / (Math.min(ink, behind) + 0.05);
		if (ratio < 4.5) bad.push(ratio.toFixed(2) + ' ' + e.localName + '.' + e.getAttribute('class') + ' ' + e.textContent.trim().slice(0, 40));
	}
	return bad;
})()`

// checkContrast finds out whether all text can be read.
func (b *browser) checkContrast(page string) {
	b.t.Helper()
	var bad []string
	if b.evaluate(contrasts, &bad); len(bad) > 0 {
		b.t.Errorf("%s: text with too little contrast: %q", page, bad[:min(len(bad), 8)])
	}
}

// screenshot returns a picture of what is in the window, as PNG.
func (b *browser) screenshot() []byte {
	b.t.Helper()
	var shot struct{ Data []byte }
	b.result("Page.captureScreenshot", object{"format": "png", "optimizeForSpeed": true}, &shot)
	return shot.Data
}

// said returns what the page wrote to the console, and what the browser complained about in it.
func (b *browser) said() []string {
	var lines []string
	for _, e := range b.events {
		switch e.Method {
		case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening":
			lines = append(lines, fmt.Sprintf("%s: %.300s", e.Method, e.Params))
		}
	}
	return lines
}

// requested returns the addresses that the page asked for, but for itself and those that have their data in them.
func (b *browser) requested(path string) []string {
	var addresses []string
	for _, e := range b.events {
		if e.Method != "Network.requestWillBeSent" && e.Method != "Page.frameRequestedNavigation" {
			continue
		}
		var about struct {
			URL     string
			Request struct{ URL string }
		}
		must(b.t, json.Unmarshal(e.Params, &about))
		address := about.URL + about.Request.URL
		if address != fileURL(path) && !strings.HasPrefix(address, "data:") {
			addresses = append(addresses, address)
		}
	}
	return addresses
}

func fileURL(path string) string { return "file://" + filepath.ToSlash(path) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
