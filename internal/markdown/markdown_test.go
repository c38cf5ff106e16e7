package markdown

import "testing"

func TestFigures(t *testing.T) {
	v := 0.126
	if got := Decimals(&v, 2) + Decimals(nil, 2); got != "0.13-" {
		t.Errorf("got %s", got)
	}
}
