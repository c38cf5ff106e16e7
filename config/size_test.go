package config

import "testing"

func TestSizesHaveUnits(t *testing.T) {
	sizes := map[string]int64{
		"0": 0, "4096": 4096, "17B": 17, "5kB": 5000, "300MB": 300e6, "300 mb": 300e6, "2G": 2e9, "1.5GB": 1.5e9, " 1TB ": 1e12, "1e3MB": 1e9,
	}
	for text, want := range sizes {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MB", "-1", "-1MB", "many", "3 apples", "1MMB", "NaN", "Inf", "1e30TB"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q is %d bytes", text, got)
		}
	}
}
