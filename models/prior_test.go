package models

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"chaff/internal/tabletest"
)

func TestPriors(t *testing.T) {
	tests := []struct {
		name    string
		prior   string
		classes []string
		want    []float64 // of 3, 1, 4 documents
		err     string
	}{
		{"learned is the share of the documents", "learned", []string{"a", "b", "c"}, []float64{3. / 8, 1. / 8, 4. / 8}, ""},
		{"empty is learned", "", []string{"a", "b", "c"}, []float64{3. / 8, 1. / 8, 4. / 8}, ""},
		{"uniform is the same for all", "uniform", []string{"a", "b", "c"}, []float64{1. / 3, 1. / 3, 1. / 3}, ""},
		{"given is by name and not by place", "c:0.5,a:0.2,b:0.3", []string{"a", "b", "c"}, []float64{0.2, 0.3, 0.5}, ""},
		{"spaces around names and numbers are left out", " a : 0.2 , b:0.3 , c: 5e-1 ", []string{"a", "b", "c"}, []float64{0.2, 0.3, 0.5}, ""},
		{"a name may have a colon", "x:y:0.25,b:0.25,c:0.5", []string{"x:y", "b", "c"}, []float64{0.25, 0.25, 0.5}, ""},
		{"a third may be written short", "a:0.3333333,b:0.3333333,c:0.3333333", []string{"a", "b", "c"}, []float64{0.3333333, 0.3333333, 0.3333333}, ""},
		{"every class is named", "a:0.2,b:0.8", []string{"a", "b", "c"}, nil, `prior is "a:0.2,b:0.8": it does not name the class "c"`},
		{"no other class is named", "a:0.2,b:0.3,d:0.1,c:0.4", []string{"a", "b", "c"}, nil, `prior is "a:0.2,b:0.3,d:0.1,c:0.4": there is no class "d"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := logPrior(test.prior, test.classes, []int{3, 1, 4})
			if err != nil || test.err != "" {
				if err == nil || err.Error() != test.err {
					t.Fatalf("got error %v, want %s", err, test.err)
				}
				return
			}
			for c, want := range test.want {
				if math.Abs(got[c]-math.Log(want)) > 1e-12 {
					t.Errorf("log prior of %s: got %v, want %v", test.classes[c], got[c], math.Log(want))
				}
			}
		})
	}
}

func TestPriorsThatAreRefused(t *testing.T) {
	tabletest.Strings(t, func(in string) string {
		err := priors().check(in, PriorLearned, PriorUniform)
		problem, isPrior := strings.CutPrefix(fmt.Sprint(err), `prior is "`+in+`": `)
		problem, hasHint := strings.CutSuffix(problem, "; must be learned, uniform, or like ham:0.7,spam:0.3")
		if !isPrior || !hasHint {
			t.Errorf("got error %v", err)
		}
		return problem
	}, [][3]string{
		{"no colon", "ham", `"ham" has no colon`},
		{"no number", "ham:,spam:1", `the probability of "ham" is not above 0 and at most 1`},
		{"no number, but a word", "ham:much,spam:1", `the probability of "ham" is not above 0 and at most 1`},
		{"zero", "ham:1,spam:0", `the probability of "spam" is not above 0 and at most 1`},
		{"negative", "ham:1.5,spam:-0.5", `the probability of "ham" is not above 0 and at most 1`},
		{"not a number", "ham:NaN,spam:1", `the probability of "ham" is not above 0 and at most 1`},
		{"infinite", "ham:Inf,spam:1", `the probability of "ham" is not above 0 and at most 1`},
		{"twice", "ham:0.5,ham:0.5", `class "ham" is named twice`},
		{"no name", ":0.5,ham:0.5", `a class has no name`},
		{"an entry too many", "ham:0.5,spam:0.5,", `"" has no colon`},
		{"too much", "ham:0.7,spam:0.7", `the probabilities add up to 1.4 and not to 1`},
	})
}
