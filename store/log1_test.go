package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"chaff/internal/logfile"
)

// TestALogOfTheFirstProgramWithOneIsRead reads a log whose records have a sketch of the text, without its model.
func TestALogOfTheFirstProgramWithOneIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	noError(t, os.WriteFile(path+Suffix, contents(t, filepath.Join("testdata", "log1", "bernoulli.log")), 0o600))
	s := opened(t, path)
	if s.Finish() == nil {
		t.Error("nothing says that the model is made anew")
	}
	v, err := Look(path)
	noError(t, err)
	defer v.Close()
	status := v.Status(time.Now())
	if got := fmt.Sprint(status.Ways, status.Classes[0].Messages, status.Classes[1].Messages, status.Forgotten); got != "map[by hand:3 training:9] 6 6 1" {
		t.Errorf("it has %s", got)
	}
	for _, e := range v.Entries() {
		if len(documentOf(t, v, e).Terms) < 50 {
			t.Errorf("message %x has %d terms", e.Fingerprint, len(documentOf(t, v, e).Terms))
		}
	}
	for _, what := range []op{refuse, trust} { // which say nothing of what was learned
		e := Entry{what: what}
		e.Fingerprint = s.Fingerprint(sampleMail(t, "spam/06").Raw)
		noError(t, s.append(e.record(), logfile.Rows{}, nil))
	}
	if o := learned(t, s, sampleMail(t, "spam/06")); o.What != Known {
		t.Errorf("a message is %s, want known", o.What)
	}
	if o := learned(t, s, sampleMail(t, "ham/01")); o.What != Learned {
		t.Errorf("a message that was forgotten is %s, want learned", o.What)
	}
	_, err = s.Retrain(t.Context(), nil, RetrainOptions{})
	noError(t, err)
}
