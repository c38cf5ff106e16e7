package markdown

import "testing"

func TestFigures(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1_020_304: "1,020,304"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
	v := 0.126
	if got := Decimals(&v, 2) + Decimals(nil, 2); got != "0.13-" {
		t.Errorf("got %s", got)
	}
}
