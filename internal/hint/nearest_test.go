package hint

import "testing"

func TestTheNearestNameIsTheOneThatWasMeant(t *testing.T) {
	commands := []string{"train", "compare", "tune", "classify", "version"}
	for name, tt := range map[string]struct {
		word  string
		known []string
		want  string
	}{
		"two letters are exchanged":         {"trian", commands, "train"},
		"a letter is missing":               {"clasify", commands, "classify"},
		"letters are exchanged in the rest": {"versoin", commands, "version"},
		"the beginning of a name":           {"comp", commands, "compare"},
		"another case":                      {"TRAIN", commands, "train"},
		"two letters begin nothing":         {"cl", commands, ""},
		"nothing is close":                  {"spam", commands, ""},
		"a short word has no neighbours":    {"x", []string{"l1", "l2"}, ""},
		"no word":                           {"", []string{"a", "l1"}, ""},
		"a flag":                            {"mailidr", []string{"mail", "maildir", "model"}, "maildir"},
		"a shell":                           {"bsh", []string{"bash", "zsh", "fish"}, "bash"},
		"no known names":                    {"train", nil, ""},
	} {
		if got := Nearest(tt.word, tt.known); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestDidYouMeanNamesAWordOrAList(t *testing.T) {
	if got, want := DidYouMean("trian", []string{"train"}, "see the list"), "did you mean train?"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := DidYouMean("spam", []string{"train"}, "see the list"), "see the list"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
