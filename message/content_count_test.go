package message_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"chaff/message"
)

// TestHowOftenTextStandsOutsideOfTheTextIsCounted logs how many messages of each corpus have text where receivers find it but
// no text part has it, for docs/inside/experiments.md.
func TestHowOftenTextStandsOutsideOfTheTextIsCounted(t *testing.T) {
	dir := corporaDir(t)
	// In messages in base64 these are not found.
	patterns := map[string]*regexp.Regexp{
		"input with a value":       regexp.MustCompile(`(?i)<input[^>]*type\s*=\s*(3D)?["']?(text|email|search)[^>]*\svalue\s*=\s*(3D)?["']?[^"'>\s]`),
		"placeholder":              regexp.MustCompile(`(?i)placeholder\s*=`),
		"srcdoc":                   regexp.MustCompile(`(?i)<iframe[^>]*srcdoc\s*=`),
		"data: that is no picture": regexp.MustCompile(`(?i)["'(]data:(text|application|image/svg)`),
		"svg in HTML":              regexp.MustCompile(`(?i)<svg`),
	}
	d := message.NewDecoder(message.DefaultOptions())
	for _, corpus := range []struct{ name, folders string }{
		{"SpamAssassin", "sa/*"}, {"Enron-Spam", "enron/enron[1-6]/*am"}, {"phishing-pot", "phishing-pot"},
	} {
		t.Run(corpus.name, func(t *testing.T) {
			if found, _ := filepath.Glob(filepath.Join(dir, corpus.folders)); len(found) == 0 {
				t.Skip("needs the folder " + corpus.folders + " in TEST_CORPORA")
			}
			counts, words := map[string]int{}, map[string]int{}
			files := corpusFiles(t, dir, corpus.folders)
			for _, file := range files {
				raw, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				m := d.Decode(raw)
				seen := map[string]bool{}
				for _, p := range m.Parts {
					what := ""
					switch {
					case string(p.Type) == "text/calendar":
						what = "text/calendar"
					case p.Attachment && !isTextType(p.Type):
						what = "a file of type " + string(p.Type)
					default:
						continue
					}
					if p.Text == nil {
						what += ", no text in it"
					}
					seen[what] = true
					words[what] += len(p.Text)
				}
				if m.Repairs.Has(message.Contradiction) {
					seen["fields that contradict each other"] = true
				}
				for name, pattern := range patterns {
					if pattern.Match(raw) {
						seen[name] = true
					}
				}
				for what := range seen {
					counts[what]++
				}
			}
			t.Logf("%d messages", len(files))
			for _, what := range slices.Sorted(maps.Keys(counts)) {
				t.Logf("%6d messages, %8d bytes of text: %s", counts[what], words[what], what)
			}
		})
	}
}

func isTextType(mediaType []byte) bool { return len(mediaType) > 5 && string(mediaType[:5]) == "text/" }
