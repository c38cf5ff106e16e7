package filter

import (
	"fmt"

	"chaff/internal/verdictfield"
)

// Fields returns the fields of the verdict v:
//
//	X-Spam-Flag: YES or NO
//	X-Spam-Status: Yes or No, score=SCORE required=THRESHOLD
//	X-Chaff-Verdict: ham, unsure or spam, or the name of a class
//	X-Chaff-Score: SCORE
//	X-Chaff-Probability: PROBABILITY
//
// Only spam filters write the first two. Rules made for SpamAssassin match them.
func (h *head) Fields(v Classification) []verdictfield.Field {
	var fields []verdictfield.Field
	add := func(name, value string) { fields = append(fields, verdictfield.Field{Name: name, Value: value}) }
	if IsSpamFilter(h.settings.Classes) {
		flag, status := "NO", "No"
		if v.Verdict == Spam {
			flag, status = "YES", "Yes"
		}
		add("X-Spam-Flag", flag)
		add("X-Spam-Status", fmt.Sprintf("%s, score=%.2f required=%.2f", status, v.Score, h.settings.Thresholds.Spam))
	}
	add("X-Chaff-Verdict", verdictfield.Text(string(v.Verdict)))
	add("X-Chaff-Score", fmt.Sprintf("%.4f", v.Score))
	add("X-Chaff-Probability", fmt.Sprintf("%.6f", v.Probability))
	return fields
}

// Passed returns the message with the fields of the verdict v in its header, for mail systems that sort by header fields. It removes
// incoming X-Spam-* and X-Chaff-* fields, so that nobody can send a verdict of their own: see [verdictfield.Set].
func (h *head) Passed(raw []byte, v Classification) []byte {
	out, _ := verdictfield.Set(raw, h.Fields(v)...)
	return out
}
