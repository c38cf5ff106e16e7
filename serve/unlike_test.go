package serve

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"chaff/store"
	"chaff/test/corpustest"
)

func TestTheEngineWarnsOnceOfMailUnlikeWhatTheModelLearned(t *testing.T) {
	path := newModel(t, 0)
	s, err := store.Open(t.Context(), path, store.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	each := func(seed uint64, n int, do func(raw []byte, label string) error) {
		for item, err := range corpustest.Mailbox(seed, n, "ham", "spam") {
			if err != nil {
				t.Fatal(err)
			}
			raw, err := item.Read(nil)
			if err == nil {
				err = do(raw, item.Label)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	each(1, 120, func(raw []byte, label string) error {
		_, err := s.Learn(store.Message{Raw: raw, Label: label})
		return err
	})
	if _, err = s.Retrain(t.Context(), nil, store.RetrainOptions{}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	var log testLog
	o := DefaultOptions()
	o.Model = path
	e, err := New(t.Context(), o, &log)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close(context.Background())
	each(2, 75, func(raw []byte, _ string) error {
		_, err := e.Judge(t.Context(), Origin{}, raw)
		return err
	})
	if status, _ := e.Status(""); log.String() != "" || status.Unlike != "" {
		t.Fatalf("its own kind of mail: %s, %s", &log, status.Unlike)
	}
	for n := range 300 {
		raw := fmt.Appendf(nil, "Subject: rechnung%d\nX-Other: etwas%d\n\nganz andere worte%d stehen%d hier%d\n", n, n, n, n, n)
		if v, err := e.Judge(t.Context(), Origin{}, raw); err != nil || !v.Unlike {
			t.Fatalf("got %+v, %v", v, err)
		}
	}
	if got := log.String(); !strings.HasPrefix(got, "warning: the last ") || strings.Count(got, "unlike the mail that the model learned") != 1 {
		t.Errorf("the log is %q", got)
	}
	if status, _ := e.Status(""); status.Unlike == "" || e.Counters.Unlike.Load() < 300 {
		t.Errorf("the status is %q, with %d messages", status.Unlike, e.Counters.Unlike.Load())
	}
}
