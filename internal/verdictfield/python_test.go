package verdictfield

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// readWithPython prints, for each message of a JSON list of strings of Latin-1, the names of fields that Python's email package finds
// by several policies, those that it finds when it has written the message again, and those of a header that is cut by splitlines.
const readWithPython = `
import email, email.policy, json, sys
def names(raw):
    readings = []
    for policy in (email.policy.compat32, email.policy.default, email.policy.SMTP):
        message = email.message_from_bytes(raw, policy=policy)
        readings.append(message.keys())
        try:
            readings.append(email.message_from_bytes(message.as_bytes(), policy=policy).keys())
        except Exception: # it refuses to write some of what it reads
            pass
    head = raw.decode("latin-1").split("\n\n")[0]
    readings.append([line.split(":")[0] for line in head.splitlines()])
    return readings
json.dump([names(m.encode("latin-1")) for m in json.load(sys.stdin)], sys.stdout)
`

func TestPythonFindsNoForgedVerdict(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs Python: install Debian's python3")
	}
	var passed []string
	for _, raw := range forgeries() {
		var runes []rune
		for _, c := range marked([]byte(raw)) {
			runes = append(runes, rune(c))
		}
		passed = append(passed, string(runes))
	}
	in, err := json.Marshal(passed)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, "-c", readWithPython)
	c.Stdin = bytes.NewReader(in)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	var names [][][]string
	if err := json.Unmarshal(out, &names); err != nil || len(names) != len(passed) {
		t.Fatalf("%d of %d messages: %v", len(names), len(passed), err)
	}
	for i, readings := range names {
		for _, found := range readings {
			flags := 0
			for _, name := range found {
				if strings.EqualFold(strings.Trim(name, " \t\r\n\x00"), "x-spam-flag") {
					flags++
				}
			}
			if flags != 1 {
				t.Errorf("%q: %d fields X-Spam-Flag: %q", passed[i], flags, found)
			}
		}
	}
}
