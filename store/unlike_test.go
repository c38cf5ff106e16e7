package store

import (
	"strings"
	"testing"
	"time"

	"chaff/test/corpustest"
)

func TestAStatusSaysThatWhatWasLearnedIsUnlikeTheMailOfTheFit(t *testing.T) {
	for _, test := range []struct {
		name   string
		source []string // of mail that is learned later
		want   bool
	}{
		{"more of the same", []string{"ham", "spam"}, false},
		{"mail of another kind", []string{"letter", "leaflet"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := trained(t, "votes", corpustest.Mailbox(1, 120, "ham", "spam"))
			s := opened(t, path)
			later := corpustest.Mailbox(2, 12, test.source...)
			for item, err := range later {
				if err != nil {
					t.Fatal(err)
				}
				raw, err := item.Read(nil)
				if err != nil {
					t.Fatal(err)
				}
				learned(t, s, Message{Raw: raw, Label: map[string]string{"ham": "ham", "letter": "ham"}[item.Label] + map[string]string{"spam": "spam", "leaflet": "spam"}[item.Label]})
			}
			v, err := Look(path)
			if err != nil {
				t.Fatal(err)
			}
			defer v.Close()
			problems := strings.Join(v.Status(time.Now()).Problems, "\n")
			if got := strings.Contains(problems, "the last 24 messages are unlike the mail that the model learned"); got != test.want {
				t.Errorf("problems: %q", problems)
			}
		})
	}
}
