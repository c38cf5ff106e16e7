package evaluate

import (
	"testing"

	"chaff/filter"
	"chaff/test/corpustest"
	"chaff/train"
)

func TestAReplayMakesVerdictsByWhatItHasLearned(t *testing.T) {
	r := replayed(t, readForReplay(t, corpustest.Mailbox(3, 200, "ham", "spam")), "votes", train.DefaultOptions())
	last := r.Messages[len(r.Messages)-1]
	if r.Messages[0].Verdict != filter.Unsure || last.Verdict == filter.Unsure {
		t.Errorf("the first verdict is %s, the last %s: want unsure until there are 50 of each class", r.Messages[0].Verdict, last.Verdict)
	}
	v := *r.Verdicts
	if v.Ham.Messages() != 200 || v.Spam.Messages() != 200 || v.Ham.Spam > 1 || v.Spam.Spam == 0 {
		t.Errorf("%+v: want 200 of each, hardly any ham lost, and spam found", v)
	}
}
