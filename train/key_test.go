package train

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/filter"
	"chaff/internal/termkey"
	"chaff/test/corpustest"
	"chaff/test/modelstest"
)

// forgedWords returns, by term of ham, a word whose term as hidden text has the same unkeyed xxhash64. Inverting the hash finds such a word
// in seconds.
func forgedWords() map[string]string {
	return map[string]string{
		"body:hama": "njegxiiaaxqlbqfub", "body:hamb": "hzrreymbtrquudnrr", "body:shareda": "hdfrvgqhouinsmwyu",
	}
}

func TestAForgedWordIsAnUnknownTerm(t *testing.T) {
	f := spamFilter(t)
	for term, word := range forgedWords() {
		raw := fmt.Appendf(nil, "Content-Type: text/html\n\n<p style=\"display:none\">%s</p>", word)
		view, err := f.Settings().Reading.View(raw)
		if err != nil {
			t.Fatal(err)
		}
		hidden := slices.IndexFunc(view.Terms, func(s filter.SeenTerm) bool { return s.Term == "hidden:"+word })
		if hidden < 0 {
			t.Fatalf("%s is no term of hidden text: the test proves nothing", word)
		}
		knows := func(term string) bool {
			return len(f.Vocabulary().AppendKnown(nil, []uint64{f.Settings().Key.Hash([]byte(term))})) > 0
		}
		if !knows(term) {
			t.Fatalf("the model does not know %s: the test proves nothing", term)
		}
		if knows("hidden:" + word) {
			t.Errorf("hidden:%s passes for %s", word, term)
		}
	}
}

// TestTheKeyChangesNoFigure trains every model under three keys: figures and scores are equal to the last bit, the model files differ.
func TestTheKeyChangesNoFigure(t *testing.T) {
	keys := []termkey.Key{{}, termkey.New([16]byte{1})}
	o := DefaultCollectOptions()
	var collections []*Collection
	for i, key := range keys {
		o.Reading.Key, o.Workers = key, 1+i
		collections = append(collections, collect(t, corpustest.Mailbox(9, 60, "ham", "spam"), o, "ham", "spam"))
	}
	messages := []string{"Subject: hello\n\nspama spamb hama", "hama hamb hamc shareda", "Subject: spamd\n\nhame and something else"}
	modelstest.EachModel(t, func(t *testing.T, model string) {
		f, want := fit(t, collections[0], model)
		for i, c := range collections[1:] {
			g, got := fit(t, c, model)
			want.Seconds, got.Seconds = 0, 0
			want.Report.Epochs, got.Report.Epochs = nil, nil // they have CPU times
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("key %d changes the figures (-want +got):\n%s", i, diff)
			}
			for _, message := range messages {
				if want, got := f.Classify([]byte(message)), g.Classify([]byte(message)); got != want {
					t.Errorf("%q: got %+v, want %+v", message, got, want)
				}
			}
			if bytes.Equal(encode(t, f), encode(t, g)) {
				t.Error("the models have the same bytes")
			}
		}
	})
}

func TestPrintingSettingsShowsNoKey(t *testing.T) {
	o := DefaultCollectOptions()
	o.Reading.Key = termkey.New([16]byte{1})
	f, _ := fit(t, collect(t, corpustest.Mailbox(1, 20, "ham", "spam"), o, "ham", "spam"), "multinomial")
	file := encode(t, f)
	again, err := filter.Open(saved(t, f))
	if err != nil {
		t.Fatal(err)
	}
	if again.Settings().Key != o.Reading.Key {
		t.Error("the key was lost")
	}
	digits := fmt.Sprintf("%x", o.Reading.Key.Bytes())
	if shown := fmt.Sprintf("%v %+v", again.Settings(), again.Settings().Reading); strings.Contains(shown, digits[:16]) {
		t.Error("the key is shown")
	}
	if !bytes.Contains(file, o.Reading.Key.Bytes()) || bytes.Contains(file, []byte(digits)) {
		t.Error("the file has no key, or has its digits")
	}
}
