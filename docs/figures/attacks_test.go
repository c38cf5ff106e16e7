package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/filter/weights"
)

func TestWhatIsCaughtBeforeAndAfterAttacksIsCounted(t *testing.T) {
	b, collection := inventedBench(t)
	trained, err := b.fit(collection, "multinomial")
	if err != nil {
		t.Fatal(err)
	}
	spam := []letter{{raw: []byte("\nspama spamb spamc\n")}, {raw: []byte("\nspamd spame spamf\n")}, {raw: []byte("\nhama hamb hamc\n")}}
	disguised := []byte("\n" + strings.Repeat("hama hamb hamc hamd hame ", 20))
	var asked []int
	got := resist(trained.Filter, spam, []attack{
		{"nothing", func(_ int, spam []byte) []byte { return spam }},
		{"all that is spam", func(int, []byte) []byte { return disguised }},
		{"the second", func(i int, spam []byte) []byte {
			asked = append(asked, i)
			return [][]byte{spam, disguised, spam}[i]
		}},
	})
	want := resisted{before: 2, what: []string{"nothing", "all that is spam", "the second"}, after: []int{2, 0, 1}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(resisted{})); diff != "" || !slices.Equal(asked, []int{0, 1}) {
		t.Errorf("asked for %v (-want +got):\n%s", asked, diff)
	}
}

func TestShotsThatMissAreNotPasted(t *testing.T) {
	b, _ := inventedBench(t)
	shots := []shot{
		{"body:offers", "offers"}, // the stem is counted instead
		{"body:offer", "offer"},
		{"body:lunch tomorrow", "lunch tomorrow"},
		{"host:www.example.org", "no link"}, // makes no such term
		{"domain:example.org", "http://example.org/"},
		{"host:example.org", "http://example.org/"}, // is there
		{"path:agenda", "http://example.org/agenda"},
		{"body:friend", "friend"}, // is one too many
	}
	got, err := protocolTest{b}.hits(shots, 4)
	want := []string{"offer", "lunch tomorrow", "http://example.org/", "http://example.org/agenda"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if got, err := (protocolTest{b}).hits(nil, 4); err != nil || len(got) != 0 {
		t.Errorf("of none: %q, %v", got, err)
	}
}

// TestThePairsAndLinksOfHamAreFound makes a model by hand, so that it is known which terms are the strongest.
func TestThePairsAndLinksOfHamAreFound(t *testing.T) {
	b, _ := inventedBench(t)
	weight := func(ofHam float64) []float64 { return []float64{0, -ofHam} }
	f, err := weights.Weights{
		Classes: classes(), Bias: []float64{0, 0},
		Terms: []weights.WeightedTerm{
			{Term: "body:see you", Weights: weight(9)},
			{Term: "body:lunch", Weights: weight(8)}, // a word
			{Term: "host:ham.example", Weights: weight(7)},
			{Term: "path:minutes", Weights: weight(6.5)}, // a stem is counted
			{Term: "path:agenda", Weights: weight(6)},
			{Term: "body:10 am", Weights: weight(5)}, // not two words
			{Term: "body:best wish", Weights: weight(4)},
			{Term: "subject:dear all", Weights: weight(3)}, // not of the text
			{Term: "domain:club.example", Weights: weight(2)},
			{Term: "body:buy now", Weights: weight(-1)}, // of spam
			{Term: "host:spam.example", Weights: weight(-2)},
		},
	}.Filter(filter.Reading{Message: b.settings.Message, Tokenize: b.settings.Tokenize}, features.Bits)
	if err != nil {
		t.Fatal(err)
	}
	got, err := protocolTest{b}.pairsAndLinks(f)
	if err != nil {
		t.Fatal(err)
	}
	check(t, got, "see you\nbest wish\nhttp://ham.example/\nhttp://ham.example/minutes\nhttp://ham.example/agenda\nhttp://club.example/\n")
}

func TestAttacksAreMadeOnEveryModel(t *testing.T) {
	b, _ := inventedBench(t)
	inventedSpamAssassin(t, b)
	models := []string{"multinomial", "softmax"}
	words, err := protocolTest{b}.againstWords(models)
	if err != nil {
		t.Fatal(err)
	}
	headers, err := protocolTest{b}.againstHeaders(models)
	if err != nil {
		t.Fatal(err)
	}
	if len(words) != 4 || len(headers) != 1 {
		t.Fatalf("%d rows and %d rows, want 4 and 1", len(words), len(headers))
	}
	for _, row := range slices.Concat(words, headers) {
		if len(row.cells) != len(models) {
			t.Errorf("%s: %d cells, want %d", row.mail, len(row.cells), len(models))
		}
	}
	// Words of ham hide spam from softmax. There are no header fields to copy but the subject, which stays.
	if words[0].cells[1] == "100.00%" || !slices.Equal(headers[0].cells, []string{"100.00%", "100.00%"}) {
		t.Errorf("words %q, header %q", words[0].cells, headers[0].cells)
	}
}

func TestNoAttackerSeesTheMailThatIsLeftOut(t *testing.T) {
	b, collection := inventedBench(t)
	b.part = corpus.Development
	judged, err := b.judged(collection)
	if err != nil {
		t.Fatal(err)
	}
	before := make(map[string]corpus.Part)
	for _, m := range collection.Members() {
		before[m.Origin] = m.Part
	}
	count := make(map[corpus.Part]int)
	for _, m := range judged.Members() {
		count[before[m.Origin]]++
		if want := map[corpus.Part]corpus.Part{corpus.Train: corpus.Train, corpus.Development: corpus.Test}[before[m.Origin]]; m.Part != want {
			t.Errorf("%s of the %s part is in the %s part", m.Origin, before[m.Origin], m.Part)
		}
	}
	s := collection.Summary()
	if count[corpus.Train] != s.Train || count[corpus.Development] != s.Development || count[corpus.Test] != 0 || s.Development == 0 {
		t.Errorf("%v of %+v", count, s)
	}
	b.part = corpus.Test
	if same, err := b.judged(collection); err != nil || same != collection {
		t.Errorf("judged on the test part the mail is another, %v", err)
	}
}
