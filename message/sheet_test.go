package message_test

import (
	"fmt"
	"strings"
	"testing"
)

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
