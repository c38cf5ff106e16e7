package message_test

import (
	"fmt"
	"strings"
	"testing"

	"chaff/internal/tabletest"
	"chaff/message"
)

// seenOf returns the words that are seen and those that are hidden in HTML.
func seenOf(html string) (text, hidden string) {
	m := decode("Content-Type: text/html; charset=utf-8\n\n" + html)
	return strings.Join(strings.Fields(string(m.Parts[0].Text)), " "), strings.Join(strings.Fields(string(m.Parts[0].Hidden)), " ")
}

// styled is a style sheet, a page, and the words of the page that are seen.
type styled struct{ name, css, html, text string }

// checkSeen reads each page with its style sheet before it and behind it.
func checkSeen(t *testing.T, pages []styled) {
	t.Helper()
	for _, p := range pages {
		t.Run(p.name, func(t *testing.T) {
			sheet := "<style>" + p.css + "</style>"
			if text, hidden := seenOf(sheet + p.html); text != p.text {
				t.Errorf("got %q, want %q; hidden %q", text, p.text, hidden)
			}
			if text, _ := seenOf(p.html + sheet); text != p.text {
				t.Errorf("with the style sheet behind it: got %q, want %q", text, p.text)
			}
		})
	}
}

func TestSelectorsMeanWhatTheyMeanInBrowsers(t *testing.T) {
	tests := []styled{
		{"an element within another", "div p", "<div><i><p>a</p></i></div><p>b</p>", "b"},
		{"three deep", "div .x p", "<div><p>a</p><b class=x><p>b</p></b></div><b class=x><p>c</p></b>", "a c"},
		{"the same element twice", "p p", "<p>a</p><div><p>b<i><p>c", "a b c"},
		{"divs in divs", "div div div", "<div>a<div>b<div>c</div></div></div>", "a b"},
		{"a child", "div > p", "<div><p>a</p><i><p>b</p></i></div>", "b"},
		{"a child without blanks", "div>p", "<div><p>a</p></div><p>b</p>", "b"},
		{"a child of a child", "div>b>p", "<div><b><p>a</p></b></div><b><p>b</p></b>", "b"},
		{"the one after", "p + i", "<p>a</p><i>b</i><i>c</i>", "a c"},
		{"all after", "p ~ i", "<i>a</i><p>b</p><i>c</i><u>d</u><i>e</i>", "a b d"},
		{"a sibling's child", "p + div i", "<p>a</p><div>b<i>c</i></div><i>d</i>", "a b d"},
		{"a void element before", "img + i", "<img><i>a</i><i>b</i>", "b"},
		{"anything", "*", "<p>a</p>b", ""},
		{"anything in an element", "div *", "a<div>b<i>c</i></div>", "a b"},
		{"anything after all", "div *.x", "<div><i>a</i><i class=x>b</i></div>", "a"},
		{"an attribute", "[data-a]", "<p data-a>a</p><p>b</p>", "b"},
		{"an attribute in capitals", "P[DATA-A]", "<p data-a>a</p><p>b</p>", "b"},
		{"a value", "[data-a=x]", "<p data-a=x>a</p><p data-a=y>b</p>", "b"},
		{"a value in quotes", `[data-a="x y"]`, "<p data-a='x y'>a</p><p data-a=x>b</p>", "b"},
		{"a value in any case", `[data-a="X" i]`, "<p data-a=x>a</p>b", "b"},
		{"a value in another case", `[data-a="X"]`, "<p data-a=x>a</p>b", "a b"},
		{"a word of a value", "[title~=x]", "<p title='y x'>a</p><p title=yx>b</p>", "b"},
		{"the start of a value", "[title^=x]", "<p title=xy>a</p><p title=yx>b</p>", "b"},
		{"the end of a value", "[title$=x]", "<p title=yx>a</p><p title=xy>b</p>", "b"},
		{"a part of a value", "[title*=x]", "<p title=yxy>a</p><p title=y>b</p>", "b"},
		{"a language", "[lang|=en]", "<p lang=en-GB>a</p><p lang=eng>b</p>", "b"},
		{"a part of a style", "[style*=zoom]", "<p style=zoom:1>a</p><p style=x>b</p>", "b"},
		{"a class as an attribute", "[class=x]", "<p class=x>a</p><p class='x y'>b</p>", "b"},
		{"a link", "a[href^='http://x.']", "<a href=http://x.example>a</a><a href=http://y.example>b</a>", "b"},
		{"a bracket in a value", `[title="]"]`, "<p title=']'>a</p>b", "b"},
		{"not a class", "p:not(.x)", "<p>a</p><p class=x>b</p>", "b"},
		{"none of two", "p:not(.x, [title])", "<p>a</p><p class=x>b</p><p title=y>c</p>", "b c"},
		{"not that which is nowhere", "p:not(.nowhere)", "<p>a</p>b", "b"},
		{"not not", "p:not(:not(.x))", "<p class=x>a</p><p>b</p>", "b"},
		{"one of two", ":is(p, i).x", "<p class=x>a</p><i class=x>b</i><u class=x>c</u>", "c"},
		{"one of two within", ":where(div, .y) p", "<div><p>a</p></div><b class=y><p>b</p></b><p>c</p>", "c"},
		{"several classes", ".x.y", "<p class='y z x'>a</p><p class=x>b</p>", "b"},
		{"the first child", "p:first-child", "<div><p>a</p><p>b</p></div>", "b"},
		{"even children", "i:nth-child(even)", "<div><i>a </i><i>b</i><i>c</i><i>d</i></div>", "a c"},
		{"children from the third", "i:nth-child( n + 3 )", "<div><i>a </i><i>b</i><i>c</i><i>d</i></div>", "a b"},
		{"the first two", "i:nth-child(-n+2)", "<div><i>a</i><i>b</i><i>c</i></div>", "c"},
		{"the second of its name", "i:nth-of-type(2)", "<div><i>a </i><b>b</b><i>c</i></div>", "a b"},
		{"all children, from the end", "i:nth-last-child(n)", "<div><i>a</i></div>b", "b"},
		{"links", ":link", "<a href=x>a</a><a>b</a>", "b"},
		{"what is pointed at", "p:hover", "<p>a</p>", "a"},
		{"the root", ":root", "<p>a</p>", ""},
		{"a body that nobody wrote", "body p", "<p>a</p>", ""},
		{"a child of a body that nobody wrote", "html > body > p", "<p>a</p><div><p>b</p></div>", "b"},
		{"a row in a table body that nobody wrote", "table > tbody > tr > td", "<table><tr><td>a</table>b", "b"},
		{"a row is no child of its table", "table > tr", "<table><tr><td>a</table>", "a"},
		{"an escaped class", `.a\:b`, "<p class=a:b>a</p>b", "b"},
		{"an escaped letter", `\70 , .x`, "<p>a</p>b", "b"},
		{"a class in capitals", ".X", "<p class=x>a</p>b", "b"},
		{"one that browsers do not know makes all void", "p, i:nosuch", "<p>a</p>", "a"},
		{"one that is broken makes all void", "p, .1", "<p>a</p>", "a"},
		{"a pseudo-element", "p::selection, p::first-line", "<p>a</p>", "a"},
		{"a comma in a string", `[title=","]`, "<p title=','>a</p>b", "b"},
		{"what follows cannot be known", "p:last-child", "<p>a</p>", "a"},
	}
	for i := range tests {
		tests[i].css += "{display:none}"
	}
	checkSeen(t, tests)
}

func TestOfTwoRulesTheOneCountsThatCountsInBrowsers(t *testing.T) {
	tests := []styled{
		{"the id", "#x{display:none}p.y.z{display:block}", "<p id=x class='y z'>a", ""},
		{"the class", "div .y{display:none}div div p{display:block}", "<div><div><p class=y>a", ""},
		{"the later", ".x{display:none}.y{display:block}", "<p class='y x'>a", "a"},
		{"the important", "p{display:none!important}#x{display:block}", "<p id=x>a", ""},
		{"the important of the later", "p{display:none!important}p{display:block!important}", "<p>a", "a"},
		{"the important before the element's own", "p{display:none!important}", "<p style=display:block>a", ""},
		{"the element's own important", "p{display:none!important}", "<p style='display:block!important'>a", "a"},
		{"the one that shows what its own hides", ".x{display:block!important}", "<p class=x style=display:none>a", "a"},
		{"what browsers know", "p{display:none;display:nosuch}", "<p>a", ""},
		{"what browsers know of a colour", "p{color:white;color:nosuch}", "<p>a", ""},
		{"all of it again", "p{display:none}p.x{all:initial}", "<p class=x>a", "a"},
		{"where() is nothing", ":where(#x){display:none}p{display:block}", "<p id=x>a", "a"},
		{"is() is its most", ":is(#x,i){display:none}p.y{display:block}", "<p id=x class=y>a", ""},
		{"the rule over the attribute", "p{display:block}", "<p hidden>a", "a"},
	}
	checkSeen(t, tests)
}

func TestBlocksOfAStyleSheetAreForTheReaderOfAMail(t *testing.T) {
	tests := []struct {
		rule  string
		holds bool
	}{
		{"@media all", true},
		{"@media screen", true},
		{"@MEDIA only screen", true},
		{"@media print", false},
		{"@media not print", true},
		{"@media not all", false},
		{"@media print, screen", true},
		{"@media screen and (min-width: 1px)", true},
		{"@media (min-width:calc(1px * 600))", true},
		{"@media only screen and (max-width: 600px)", false},
		{"@media screen and (min-width:600px) and (max-width:2000px)", true},
		{"@media (400px <= width < 2000px)", true},
		{"@media (width<400px)", false},
		{"@media (400px > width)", false},
		{"@media (orientation: landscape)", true},
		{"@media (prefers-color-scheme: dark)", false},
		{"@media (prefers-color-scheme: light)", true},
		{"@media screen and (-webkit-min-device-pixel-ratio:0)", true},
		{"@media (min-resolution: 2dppx)", false},
		{"@media (min-aspect-ratio: 1/1)", true},
		{"@media (hover)", true},
		{"@media not (hover)", false},
		{"@media (print) or (hover)", true},
		{"@media (nosuch)", false},
		{"@media (max-width:600px) and (hover)", false},
		{"@supports (display:grid)", true},
		{"@supports not (display:grid)", false},
		{"@layer a", true},
		{"@font-face", false},
		{"@keyframes p", false},
		{"@media all{@media screen", true},
		{"@media all{@media print", false},
		{"@media \\61ll", true},
		{"", true},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			open := strings.Repeat("{", min(len(test.rule), 1))
			closed := strings.Repeat("}", strings.Count(test.rule+open, "{"))
			text, _ := seenOf("<style>" + test.rule + open + "p{display:none}" + closed + "i{display:none}</style><p>a</p><i>b</i>c")
			if want := map[bool]string{true: "c", false: "a c"}[test.holds]; text != want {
				t.Errorf("got %q, want %q", text, want)
			}
		})
	}
}

func TestRulesInRulesAreFollowed(t *testing.T) {
	for css, want := range map[string]string{
		"div{p{display:none}}":                    "b c",
		"div,u{color:red;& p{display:none}top:0}": "b c",
		"p{&.x{display:none}}":                    "a c",
		"div{@media all{display:none}}":           "b c",
		"div{@media print{display:none}}":         "a b c",
		"p{i{display:none}}u{display:none}":       "a b",
		"div{p{&:not(b){display:none}}}":          "b c",
		"div{p{top:0}display:none}":               "b c",
	} {
		if text, hidden := seenOf("<style>" + css + "</style><div><p>a</p></div><p class=x>b</p><u>c</u>"); text != want {
			t.Errorf("%q: got %q, want %q; hidden %q", css, text, want, hidden)
		}
	}
}

func TestTextOfStyleSheetsIsSeen(t *testing.T) {
	tests := []struct{ name, css, html, text, hidden string }{
		{"before", `p::before{content:"Buy"}`, "<p>now</p>", "Buynow", ""},
		{"after", `p:after{content:' now '}`, "<p>Buy</p>here", "Buy now here", ""},
		{"within a word", `.x::before{content:"V"}`, "<b class=x>iagra</b>", "Viagra", ""},
		{"several strings", `p::before{content:"Bu" 'y '}`, "<p>now", "Buy now", ""},
		{"escapes", `p::before{content:"\42 u\79 "}`, "<p>now", "Buynow", ""},
		{"an attribute", `p::before{content:attr(data-a) " now"}`, "<p data-a=Buy>.", "Buy now.", ""},
		{"for other elements", `i::before{content:"a"}`, "<p>b", "b", ""},
		{"none", `p::before{content:"a"}p::before{content:none}`, "<p>b", "b", ""},
		{"hidden by itself", `p::before{content:"a ";display:none}`, "<p>b", "b", "a"},
		{"hidden with its element", `p{display:none}p::after{content:"a"}`, "<p>b</p>c", "c", "ba"},
		{"shown before what is hidden is hidden with it", `p{font-size:0}p::before{content:"a";font-size:16px}`, "<p>b</p>c", "ac", "b"},
		{"nothing is in a picture", `img::before{content:"a"}`, "<img>b", "b", ""},
		{"brackets and signs", `p::before{content:"};:,{"}i{display:none}`, "<p>b<i>c", "};:,{b", "c"},
		{"behind elements that are never closed", `p::after,i::after{content:" a"}`, "<p>b <i>c", "b c a a", ""},
		{"what is said to those who cannot see", `p::before{content:"a " / "x"}`, "<p>b", "a b", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, hidden := seenOf("<style>" + test.css + "</style>" + test.html)
			if text != test.text || hidden != test.hidden {
				t.Errorf("got %q, hidden %q, want %q, hidden %q", text, hidden, test.text, test.hidden)
			}
		})
	}
}

func TestAStyleSheetAddsNoMoreTextThanItsPageHas(t *testing.T) {
	const words = "word word word word word word word word word word "
	page := `<style>i::after,i::before{content:"` + words + `"}</style>` + strings.Repeat("<i>", 1000)
	m := decode("Content-Type: text/html\n\n" + page)
	if got := len(m.Parts[0].Text); got > len(page) || got < len(page)/2 {
		t.Errorf("got %d bytes of a page of %d", got, len(page))
	}
	if !m.Repairs.Has(message.CutStyles) {
		t.Error("it is not reported")
	}
}

// With too many rules for its elements a page is read as if what is left of the rules were not there, and it is reported.
func TestTooManyRulesAreReported(t *testing.T) {
	many := func(format string) string {
		var css strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&css, format, i)
		}
		return css.String()
	}
	for name, css := range map[string]string{
		"rules for anything":       many("*:not(.a%d){color:red}"),
		"rules for one class":      many(".x:not(.a%d){color:red}"),
		"rules that look about":    many("i .x:nth-child(%d){color:red}"),
		"one rule of many choices": "i:is(" + strings.Repeat(".a,", 15) + ".b){color:red}" + many(".x.a%d{color:red}"),
	} {
		t.Run(name, func(t *testing.T) {
			m := decode("Content-Type: text/html\n\n<style>" + css + "</style>" + strings.Repeat("<i class=x>a ", 20_000))
			if !m.Repairs.Has(message.CutStyles) {
				t.Error("it is not reported")
			}
			if got := strings.Count(string(m.Parts[0].Text), "a"); got != 20_000 {
				t.Errorf("got %d words, want 20000", got)
			}
		})
	}
}

func TestStyleSheetsHideText(t *testing.T) {
	tests := []styled{
		{"an element", "p { display: none }", "<p>a</p><div>b</div>", "b"},
		{"a class", ".x{display:none}", "<p class='y X'>a</p><p>b</p>", "b"},
		{"an element of a class", "p.x{display:none}", "<p class=x>a</p><i class=x>b</i>", "b"},
		{"an element of a name", "#x{display:none}p#y{display:none}", "<p id=x>a</p><p id=y>b</p><i id=y>c</i>", "c"},
		{"several selectors", "i , .x,b{display:none}", "<i>a</i><b>b</b><u class=x>c</u>d", "d"},
		{"the attribute counts more", "p{display:none}", "<p style=display:block>a</p>", "a"},
		{"the class counts more than the element", ".x{display:block}p{display:none}", "<p class=x>a</p>", "a"},
		{"the later rule counts more", "p{display:none}p{display:block}", "<p>a</p>", "a"},
		{"selectors that are about something else", "div>i p{display:none}p:hover{display:none}p *{display:none}[b]{display:none}p+p{display:none}", "<div><p a>a</p></div>", "a"},
		{"a background that may be meant", "td:last-child{background:black}", "<table><td><font color=white>a</font>", "a"},
		{"for some screens", "@media (max-width:600px){p{display:none}}i{display:none}", "<p>a</p><i>b</i>", "a"},
		{"imported sheets", "@import 'a.css';p{display:none}", "<p>a</p>b", "b"},
		{"comments", "/* p{ */i/**/{/*}*/display:none}", "<p>a</p><i>b</i>", "a"},
		{"marks of comments", "<!-- p{display:none} -->", "<p>a</p>b", "b"},
		{"a rule that is not closed", "p{display:none", "<p>a</p>b", "b"},
		{"a block that is not closed", "@media x{p{display:none}", "<p>a</p>b", "a b"},
		{"a brace too many makes the next rule void, as in browsers", "}p{display:none}}i{display:none}b{display:none}", "<p>a</p><i>b</i><b>c</b>", "a b"},
	}
	checkSeen(t, tests)
}

func TestStyleSheetsForOtherMediaDoNotCount(t *testing.T) {
	for media, want := range map[string]string{"": "", "all": "", "Screen": "", "print": "a", "screen and (max-width:600px)": "a"} {
		m := decode(fmt.Sprintf("Content-Type: text/html\n\n<style media=%q>p{display:none}</style><p>a", media))
		if got := strings.TrimSpace(string(m.Parts[0].Text)); got != want {
			t.Errorf("%q: got %q, want %q", media, got, want)
		}
	}
}

func TestTextThatAStyleHidesIsHidden(t *testing.T) {
	hides := []string{
		`d\69splay:none`, `\64\69 splay:none`, `DISPLAY:n\6Fne`, `display:none;display:nosuch`, `display:none;display:none none`,
		"display:var(--gone,none)", "--gone:none;display:var(--gone)", "--a:none;--b:var(--a);display:var(--b,block)",
		"transform:scale(0)", "transform:scale(.05)", "transform:scaleX(0)", "transform:rotate(3deg) scale3d(1,0,1)", "transform:matrix(0,0,0,0,1,1)",
		"transform:rotateY(90deg)", "transform:rotatex(.25turn)", "-webkit-transform:scale(0)", "scale:0", "scale:1 0%", "rotate:y 90deg",
		"transform:translate(-9999px)", "transform:translateX(-100vw)", "transform:translate3d(0,-5000px,0)", "translate:-9999px", "transform:matrix(1,0,0,1,-9999,0)",
		"clip-path:inset(50%)", "clip-path:inset(0 0 100% 0)", "clip-path:circle(0)", "clip-path:circle(0 at 50% 50%)", "clip-path:ellipse(0 50%)", "clip-path:polygon(0 0)",
		"clip-path:polygon(0px 0px, 0 0, 0 0)", "-webkit-clip-path:inset(100%)",
		"position:absolute;clip:rect(0,0,0,0)", "position:fixed;clip:rect(1px 1px 1px 1px)",
		"filter:opacity(0)", "filter:blur(1px) opacity(5%)", "-webkit-filter:opacity(0)", "opacity:0", "opacity:0e3", "opacity:calc(0*1)", "opacity:.001", "opacity:1e-2",
		"font-size:calc(0px)", "font-size:calc(1px - 1px)", "font-size:calc((2px - 1px) * 0)", "font-size:min(0px,5em)", "font-size:clamp(0px,0px,20px)", "font-size:max(0px,.5px)",
		"font-size:.01in", "font-size:0.05em", "font-size:1e-3px", "font:0/0 a",
		"color:hsl(0,0%,100%)", "color:hsl(120 100% 100%)", "color:hsla(0,0%,0%,0)", "color:hwb(0 100% 0%)", "color:#ffffffff", "color:#fff0", "color:#00000000", "color:#0000",
		"color:rgb(255 255 255)", "color:rgb(100%,100%,100%)", "color:rgb(0 0 0 / 0)", "color:rgb(0 0 0 / 5%)", "color:rgba(0,0,0,.05)", "color:color(srgb 1 1 1)", "color:oklch(100% 0 0)",
		"color:lab(100 0 0)", "color:canvas", "color:white;color:nosuch", "color:var(--x,white)", "--w:#fff;color:var(--w)", "color:transparent",
		"-webkit-text-fill-color:transparent", "-webkit-text-fill-color:#fff;color:#000", "color:white;-webkit-text-fill-color:currentcolor",
		"color:red;background:currentcolor", "background:#123;color:#123",
		"content-visibility:hidden", "visibility:hidden", "visibility:collapse",
		"text-indent:-9999px", "text-indent:-100vw;text-indent:calc(-1px*9999)", "text-indent:100%;overflow:hidden;white-space:nowrap",
		"max-height:0;overflow:hidden", "height:calc(0px);overflow:hidden", "width:0;overflow:clip", "max-width:1px;overflow:auto", "block-size:0;overflow:hidden", "height:0;overflow-y:hidden",
		"position:absolute;left:-9999px", "position:relative;top:-9999px", "position:fixed;inset:0 0 0 -9999px", "margin:0 0 0 -9999px", "margin:-9999px", "margin-left:-999em",
		"background:#ccc;position:relative;z-index:0;opacity:0",
	}
	for _, css := range hides {
		if text, hidden := seenOf("<p style='" + css + "'>word</p>seen"); text != "seen" || hidden != "word" {
			t.Errorf("%q: got %q, hidden %q", css, text, hidden)
		}
		if text, _ := seenOf("<style>body div>p:not(.x){" + css + "}</style><div><p>word</p></div>seen"); text != "seen" {
			t.Errorf("%q in a style sheet: got %q", css, text)
		}
	}
}

func TestTextThatIsSeenIsNotTakenForHidden(t *testing.T) {
	shows := []string{
		"display:nosuch", "display:none!importantly", `display\:none`, "display:var(--nowhere)", "--a:none", "-display:none", "display:block;--a:none",
		"transform:scale(.5)", "transform:scale(1,1)", "transform:none", "transform:rotate(90deg)", "transform:translate(-50%,-50%)", "scale:1", "translate:-10px",
		"clip-path:inset(10%)", "clip-path:circle(50%)", "clip-path:none", "clip-path:polygon(0 0,100% 0,100% 100%)", "clip:rect(0,0,0,0)", "clip-path:url(x)",
		"filter:opacity(1)", "filter:blur(1px)", "filter:opacity(0);filter:none", "opacity:.5", "opacity:0;opacity:1", "opacity:nosuch",
		"font-size:calc(10px + 1em)", "font-size:calc(0px", "font-size:2em", "font-size:larger", "font-size:2vw", "font:100 12px a", "font:1 12px/0 a",
		"color:hsl(0,100%,50%)", "color:#ffffff80", "color:rgba(0,0,0,.6)", "color:currentcolor", "color:inherit", "-webkit-text-fill-color:red;color:white", "color:color-mix(in srgb, white, white)",
		"color:nosuch", "background:url(x);color:#fff", "color:rgb(1,2)", "color:hsl(0 0% 99% / .5)",
		"content-visibility:auto", "visibility:visible", "text-indent:-9px", "text-indent:100%", "max-height:0", "overflow:hidden", "max-height:10px;overflow:hidden", "height:0;overflow:visible",
		"left:-9999px", "position:static;left:-9999px", "margin:0 -10px", "margin:0 auto", "z-index:-1", "position:relative;z-index:-1", "mso-hide:all",
		"all:unset", "display:none;all:initial", "opacity:0;all:unset", "white-space:nowrap;direction:ltr",
	}
	for _, css := range shows {
		if css == "font-size:calc(0px" || css == "all:unset" {
			continue // what stays open is closed by the end of the style
		}
		if text, hidden := seenOf("<p style='" + css + "'>word</p>"); text != "word" || hidden != "" {
			t.Errorf("%q: got %q, hidden %q", css, text, hidden)
		}
	}
}

func TestWhatIsAroundTextHidesIt(t *testing.T) {
	tests := []example{
		{"opacities multiply", "<p style=opacity:.3>a <b style=opacity:.3>b</b></p>", "a", "b"},
		{"and do not end inside", "<p style=opacity:0><b style=opacity:1>b</b></p>a", "a", "b"},
		{"a filter and an opacity", "<p style='opacity:.3;filter:opacity(30%)'>b</p>a", "a", "b"},
		{"fonts in fonts", "<p style=font-size:.3em>a <i style=font-size:.3em>b</i></p>", "a", "b"},
		{"a font of a share of what is no longer tiny", "<p style=font-size:1px>b <i style=font-size:1000%>a</i></p>", "a", "b"},
		{"the background of an ancestor", "<div style=background:#123456><p><i style=color:#123456>b</i> <u style=color:#fff>a</u>", "a", "b"},
		{"the colour of an ancestor", "<div style=color:#123456><p>a <i style=background:#123456>b", "a", "b"},
		{"the letters' colour of an ancestor", "<div style=-webkit-text-fill-color:white><p style=color:black>b</p></div>a", "a", "b"},
		{"closed details", "<details><summary>a</summary>b <i>c</i></details>d", "a d", "b c"},
		{"open details", "<details open><summary>a</summary>b</details>", "a b", ""},
		{"details in closed details", "<details><summary>a <i>b</i></summary><details open><summary>c</summary>d</details></details>e", "a b e", "c d"},
		{"a closed dialog", "<dialog>b</dialog>a", "a", "b"},
		{"an open dialog", "<dialog open>a</dialog>", "a", ""},
		{"a popover", "<p popover>b</p>a", "a", "b"},
		{"a list of suggestions", "<datalist><option>b</datalist>a", "a", "b"},
		{"the parentheses of ruby", "<ruby>a<rp>b</rp></ruby>", "a", "b"},
		{"hidden until it is found", "<p hidden=until-found>b</p>a", "a", "b"},
		{"below the background around it", "<div style=background:#eee><p style='position:relative;z-index:-1'>b</p></div>a", "a", "b"},
		{"below, but before the background of its layer", "<div style='background:#eee;position:relative;z-index:0'><p style='position:relative;z-index:-1'>a</p></div>", "a", ""},
		{"below nothing", "<p style='position:relative;z-index:-1'>a", "a", ""},
		{"what is below needs a place", "<div style=background:#eee><p style=z-index:-1>a", "a", ""},
	}
	decodeAll(t, tests, "Content-Type: text/html; charset=utf-8\n\n", "", hidden)
}

func TestTurnedTextIsReadAsItIsSeen(t *testing.T) {
	const rtl = "direction:rtl;unicode-bidi:bidi-override"
	tabletest.Strings(t, func(in string) string {
		text, _ := seenOf(in)
		return text
	}, [][3]string{
		{"an element", "<bdo dir=rtl>argaiv</bdo>", "viagra"},
		{"a style", "<span style='" + rtl + "'>argaiv</span>", "viagra"},
		{"a style sheet", "<style>.x{" + rtl + "}</style><p><b class=x>argaiv</b>", "viagra"},
		{"isolated", "<p style='unicode-bidi:isolate-override' dir=rtl>argaiv", "viagra"},
		{"within a word", "v<bdo dir=rtl>rgai</bdo>a", "viagra"},
		{"over elements", "<bdo dir=rtl>arg<b>a</b><i>iv</i></bdo>", "viagra"},
		{"several words", "<bdo dir=rtl>won argaiv yub</bdo>", "buy viagra now"},
		{"line for line", "<bdo dir=rtl>yub<br>argaiv</bdo>", "buy viagra"},
		{"left to right within", "<bdo dir=rtl>won <bdo dir=ltr>viagra</bdo> yub</bdo>", "buy viagra now"},
		{"left to right", "<bdo dir=ltr>viagra</bdo>", "viagra"},
		{"without a direction", "<bdo>viagra</bdo>", "viagra"},
		{"the direction of a paragraph turns no letters", "<p dir=rtl>viagra</p>", "viagra"},
		{"characters of several bytes", "<bdo dir=rtl>\u20acéa</bdo>", "aé\u20ac"},
		{"never closed", "<bdo dir=rtl>argaiv", "viagra"},
		{"closed by its cell", "<table><td><bdo dir=rtl>yub<td>viagra", "buy viagra"},
		{"hidden text is not turned", "<bdo dir=rtl>yub<i hidden>x</i></bdo>", "buy"},
		{"deeper than is followed", strings.Repeat("<bdo dir=rtl><bdo dir=ltr>", 50) + "viagra", "viagra"},
	})
	m := decode("Content-Type: text/html\n\n<a href=http://x.example/><bdo dir=rtl>yub</bdo></a>")
	equal(t, "text", string(m.Links[0].Text), "buy")
}
