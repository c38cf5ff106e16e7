package serve

import (
	"regexp"
	"strings"
	"testing"
)

func TestCountersCountWhatHappens(t *testing.T) {
	e, _ := start(t, fittedModel(t), func(o *Options) { o.MaxMessage = 1000 })
	for range 3 {
		judge(t, e, "", mail("spam", 50))
	}
	judge(t, e, "", mail("ham", 50))
	if v, err := e.Judge(t.Context(), Origin{}, make([]byte, 1001)); err != nil || v.Unjudged == nil {
		t.Error("a message over the limit is judged")
	}
	learn(t, e, "", mail("spam", 50), "spam")
	if o, err := e.Learn(t.Context(), Origin{}, mail("spam", 50), "spam"); err != nil {
		t.Errorf("got %+v, %v", o, err)
	}
	if _, err := e.Learn(t.Context(), Origin{}, mail("spam", 50), "eggs"); err == nil || !strings.Contains(err.Error(), `"eggs" is no class of the model: must be one of ham, spam`) {
		t.Errorf("another class: got %v", err)
	}
	if _, err := e.Forget(t.Context(), Origin{}, mail("spam", 50)); err != nil {
		t.Error(err)
	}
	defer newPort(t, e).dial(t).Close()
	text := string(e.Metrics())
	for _, want := range []string{
		`chaff_verdicts_total{verdict="spam"} 3`, `chaff_verdicts_total{verdict="ham"} 1`, `chaff_unjudged_total{reason="too_large"} 1`,
		`chaff_learned_total{result="learned"} 1`, `chaff_learned_total{result="known"} 1`, `chaff_learned_total{result="forgotten"} 1`,
		`chaff_connections_total{protocol="spamd"} 1`, `chaff_connections{protocol="spamd"} 1`, "chaff_faults_total 0", "chaff_in_flight 0", "chaff_transit_bytes 0",
		"# TYPE chaff_verdict_seconds_total counter",
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("the metrics lack %s:\n%s", want, text)
		}
	}
	line := regexp.MustCompile(`^(# (HELP|TYPE) chaff_[a-z_]+ .+|chaff_[a-z_]+(\{[a-z]+="[^"\n]*"\})? [0-9.e+-]+)$`)
	for l := range strings.Lines(text) {
		if !line.MatchString(strings.TrimSuffix(l, "\n")) {
			t.Errorf("not in the format of Prometheus: %q", l)
		}
	}
}
