package message_test

import (
	"strings"
	"testing"

	"chaff/internal/tabletest"
)

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

func TestLettersInColumnsOfATableAreRead(t *testing.T) {
	tests := []struct {
		name, html string
		words      []string
	}{
		{"a letter to a cell", "<table><tr><td>V<td>I<td>A<td>G<td>R<td>A</table>", []string{"VIAGRA"}},
		{"columns of letters", "<table><tr><td>V<br>n<td>I<br>o<td>A<br>w</table>", []string{"VIA", "now"}},
		{"words down the columns", "<table><tr><td>b<td>n<tr><td>u<td>o<tr><td>y<td>w</table>", []string{"buy", "now"}},
		{"two letters to a cell", "<table><tr><td>vi<td>ag<td>ra</tr></table>", []string{"viagra"}},
		{"elements in cells", "<table><tr><td><b>V</b>&nbsp;<td><p>I</p><td><font color=red>A</font></table>", []string{"VIA"}},
		{"a table in a table", "<table><tr><td>much text<td><table><tr><td>V<td>I<td>A</table></table>", []string{"VIA"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, _ := seenOf(test.html)
			for _, word := range test.words {
				if !strings.Contains(" "+text+" ", " "+word+" ") {
					t.Errorf("got %q, want %q in it", text, word)
				}
			}
		})
	}
	for name, html := range map[string]string{
		"words":        "<table><tr><td>one<td>two<td>three</table>",
		"numbers":      "<table><tr><td>1<td>2<td>3</table>",
		"two cells":    "<table><tr><td>a<td>b</table>",
		"one long one": "<table><tr><td>a<td>b<td>c<td>word</table>",
		"no table":     "<td>a<td>b<td>c",
	} {
		text, _ := seenOf(html)
		if plain, _ := seenOf(strings.NewReplacer("<table>", "<div>", "</table>", "</div>", "<tr>", " ", "<td>", "<p>").Replace(html)); text != plain {
			t.Errorf("%s: got %q, want %q", name, text, plain)
		}
	}
}
