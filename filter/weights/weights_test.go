package weights

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/features"
	"chaff/filter"
	"chaff/test/lineartest"
	"chaff/test/tabletest"
)

func TestRead(t *testing.T) {
	tests := []struct {
		name, table string
		want        Weights
	}{
		{"of a spam filter", "term,weight\n(bias),-1.5\nbody:offer,2\nsubject:offer,3e-1\n",
			Weights{[]string{"ham", "spam"}, []float64{0, -1.5}, []WeightedTerm{{"body:offer", []float64{0, 2}}, {"subject:offer", []float64{0, 0.3}}}}},
		{"of classes", "term,a,b,c\nbody:x,1,-2,0\n(bias),0,0,1\n",
			Weights{[]string{"a", "b", "c"}, []float64{0, 0, 1}, []WeightedTerm{{"body:x", []float64{1, -2, 0}}}}},
		{"without a bias, with comments, quotes and line ends of Windows", "# by hand\r\nterm,weight\r\n\"body:,\",1\r\n# more\r\n\"body:\"\"\",2\r\n",
			Weights{[]string{"ham", "spam"}, []float64{0, 0}, []WeightedTerm{{"body:,", []float64{0, 1}}, {`body:"`, []float64{0, 2}}}}},
		{"with a byte order mark", "\ufeffterm,weight\nbody:x,1\n",
			Weights{[]string{"ham", "spam"}, []float64{0, 0}, []WeightedTerm{{"body:x", []float64{0, 1}}}}},
		{"without a term", "term,weight\n", Weights{[]string{"ham", "spam"}, []float64{0, 0}, nil}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Read(strings.NewReader(test.table))
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestWriteCSVEscapesTermsAndReadWeightsRestoresThem(t *testing.T) {
	odd := "\x1b[2J\r\n\t\u009b\u202e\\x1b\\\"',"
	want := Weights{Classes: []string{"a" + odd, "b"}, Bias: []float64{0, 0}, Terms: []WeightedTerm{{"body:" + odd, []float64{1, 2}}, {`body:\`, []float64{3, 4}}}}
	var out strings.Builder
	if err := want.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && !strconv.IsPrint(r) }); i >= 0 {
		t.Errorf("%q cannot be printed", out.String()[i:])
	}
	got, err := Read(strings.NewReader(out.String()))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("read back with error %v (-written +read):\n%s", err, diff)
	}
	if got, err := Read(strings.NewReader("term,weight\nbody:\\,1\n")); err != nil || got.Terms[0].Term != `body:\` {
		t.Errorf("a lone backslash: %v, %v", got.Terms, err)
	}
}

func TestReadWeightsRefuses(t *testing.T) {
	tabletest.Strings(t, func(in string) string {
		_, err := Read(strings.NewReader(in))
		problem, found := strings.CutPrefix(fmt.Sprint(err), "not a table of weights: ")
		if !found || !errors.Is(err, ErrWeights) {
			t.Errorf("%q: got error %v, want ErrWeights", in, err)
		}
		return problem
	}, [][3]string{
		{"nothing", "", "it is empty"},
		{"a message", "Subject: x\n\ny", "its first line must be `term,weight` or `term` and the names of classes"},
		{"no column of weights", "term\n", "its first line must be `term,weight` or `term` and the names of classes"},
		{"one class", "term,spam\n", "one class only, \"spam\": must be two or more, or `weight`"},
		{"a class twice", "term,a,b,a\n", `the class "a" has no name, is not UTF-8, or comes twice`},
		{"a class without a name", "term,a,\n", `the class "" has no name, is not UTF-8, or comes twice`},
		{"a row too short", "term,weight\nx\n", "record on line 2: wrong number of fields"},
		{"a term twice", "term,weight\nx,1\n\nx,1\n", `line 4: the term "x" is empty, is not UTF-8, or comes twice`},
		{"the bias twice", "term,weight\n(bias),1\n(bias),1\n", `line 3: the term "(bias)" is empty, is not UTF-8, or comes twice`},
		{"a long number", "term,weight\nx," + strings.Repeat("1", 1000) + "\n", `line 2: the weight "` + strings.Repeat("1", 100) + `" is not a usable number`},
		{"a long term", "term,weight\n" + strings.Repeat("x\xff", 500) + ",1\n", `line 2: the term "` + strings.Repeat(`x\xff`, 50) + `" is empty, is not UTF-8, or comes twice`},
		{"a class in Latin-1", "term,a,caf\xe9\n", `the class "caf\xe9" has no name, is not UTF-8, or comes twice`},
		{"a term in Latin-1", "term,weight\nbody:caf\xe9,1\n", `line 2: the term "body:caf\xe9" is empty, is not UTF-8, or comes twice`},
		{"no term", "term,weight\n,1\n", `line 2: the term "" is empty, is not UTF-8, or comes twice`},
		{"a word for a weight", "term,weight\nx,much\n", `line 2: the weight "much" is not a usable number`},
		{"an infinite weight", "term,weight\nx,-Inf\n", `line 2: the weight "-Inf" is not a usable number`},
		{"a weight too large", "term,weight\nx,1e39\n", `line 2: the weight "1e39" is not a usable number`},
	})
}

// madeOf returns the filter of a table of weights, and the same filter saved and opened again.
func madeOf(t *testing.T, w Weights) (made, again *filter.Filter) {
	t.Helper()
	made, err := w.Filter(filter.DefaultReading(), features.Bits)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := made.Save(path); err != nil {
		t.Fatal(err)
	}
	if again, err = filter.Open(path); err != nil {
		t.Fatal(err)
	}
	return made, again
}

// TestLogicalFunctionsSetByHand classifies messages by the weights of the lectures: grosse lecture 3, "Some examples", and
// cs440 lecture 16, "Linear Classifiers in General".
func TestLogicalFunctionsSetByHand(t *testing.T) {
	messages := []string{"\ngamma", "\nalpha", "\nbeta", "\nalpha beta"}
	tests := map[string]struct {
		table string
		want  [4]bool // is spam
	}{
		"NOT alpha":      {"term,weight\n(bias),1\nbody:alpha,-2\n", [4]bool{true, false, true, false}},
		"alpha AND beta": {"term,weight\n(bias),-1.5\nbody:alpha,1\nbody:beta,1\n", [4]bool{false, false, false, true}},
		"alpha OR beta":  {"term,weight\n(bias),-0.5\nbody:alpha,1\nbody:beta,1\n", [4]bool{false, true, true, true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w, err := Read(strings.NewReader(test.table))
			if err != nil {
				t.Fatal(err)
			}
			_, again := madeOf(t, w)
			for i, raw := range messages {
				v := again.Classify([]byte(raw))
				if (v.Verdict == filter.Spam) != test.want[i] || (v.Class == "spam") != test.want[i] {
					t.Errorf("%q: %+v", raw, v)
				}
				if p := 1 / (1 + math.Exp(-v.Score)); math.Abs(v.Probability-p) > 1e-12 {
					t.Errorf("%q: probability %v, want %v", raw, v.Probability, p)
				}
			}
		})
	}
}

func TestFeaturesOfWholeMessagesHaveNoWeights(t *testing.T) {
	if _, err := (Weights{Classes: []string{"a", "b"}, Bias: []float64{0, 0}}).Filter(filter.DefaultReading(), features.Whole); err == nil {
		t.Error("got no error")
	}
}

// FuzzReadWeights checks that the weights of a valid table make a filter that can be saved and opened.
func FuzzReadWeights(f *testing.F) {
	for _, table := range []string{
		"term,weight\n(bias),1\nbody:x,2\n", "term,a,b,c\n\"x,\",1,2,3\n", "# c\nterm,weight\r\n", "term,weight\nx,1e38\ny,-1e38\n", "term,a\n", "\"", "", "term,\xb6,0",
	} {
		f.Add(table)
	}
	f.Fuzz(func(t *testing.T, table string) {
		w, err := Read(strings.NewReader(table))
		if err != nil {
			if !errors.Is(err, ErrWeights) {
				t.Fatalf("the error does not wrap ErrWeights: %v", err)
			}
			return
		}
		made, again := madeOf(t, w)
		raw := []byte("Subject: x\n\nx y")
		if got, want := again.Classify(raw), made.Classify(raw); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
}

// A file without an end, such as a device, takes a limited memory, and a table that is cut off is an error.
func TestATableIsReadUpToALimit(t *testing.T) {
	if _, err := Read(io.MultiReader(strings.NewReader("term,weight\nbody:x,1\n"), endless{})); err == nil || !strings.Contains(err.Error(), "it has more than 268435456 bytes") {
		t.Errorf("got error %v", err)
	}
}

// endless is comments.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '#'
	}
	p[len(p)-1] = '\n'
	return len(p), nil
}

// A table of many classes is read in linear time.
func TestManyClassesTakeLinearTime(t *testing.T) {
	lineartest.Check(t, func(size int) func() {
		table := "term"
		for n := range size / 8 {
			table += ",class" + strconv.Itoa(n)
		}
		return func() {
			if w, err := Read(strings.NewReader(table + "\n")); err != nil || len(w.Classes) != size/8 {
				t.Fatal(err)
			}
		}
	})
}
