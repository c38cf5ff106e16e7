package train

import (
	"errors"
	"strings"
	"testing"

	"chaff/corpus/corpustest"
	"chaff/models"
)

func TestAHigherRateThanTheMailAllowsIsNamedAsTheCause(t *testing.T) {
	c, err := Collect(t.Context(), corpustest.Mailbox(2, 50, "ham", "spam"), []string{"ham", "spam"}, DefaultCollectOptions())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		rate float64
		want string
	}{
		{"a lower rate helps", 50, "the learning rate is too high; --set models.lms.learning_rate=0.5 does not diverge"},
		{"no lower rate helps", 1e6, "a lower learning rate does not help, models.lms.learning_rate=1 diverges too"},
	} {
		o := DefaultOptions()
		o.Models.LMS.LearningRate = test.rate
		if test.rate == 1e6 {
			o.Models.LMS.ClassWeights = "ham:1e6,spam:1"
		}
		if _, err := Fit(t.Context(), c, "lms", o); !errors.Is(err, models.ErrDiverged) {
			t.Fatalf("%s: got %v", test.name, err)
		}
		if got, err := o.WhyDiverged(t.Context(), c, "lms"); err != nil || !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: got %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}
