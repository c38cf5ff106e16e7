package delivery

import (
	"fmt"

	"chaff/filter"
)

const (
	exitError    = 1
	exitTempFail = 75 // EX_TEMPFAIL of sysexits.h: the mail system keeps the message and tries again
)

// codes are the exit codes for the verdicts and for trouble.
type codes struct{ ham, unsure, spam, trouble int }

// presets returns the exit codes of another filter. Without a name, the code reports trouble only.
func presets(name string) (codes, error) {
	switch name {
	case "":
		return codes{trouble: exitError}, nil
	case DefaultPreset:
		return codes{spam: 0, ham: 1, unsure: 2, trouble: 3}, nil
	case "spamassassin":
		return codes{spam: 1, ham: 0, unsure: 0, trouble: 2}, nil
	}
	return codes{}, fmt.Errorf("--exit-code=%s: must be bogofilter or spamassassin", name)
}

func (c codes) of(d filter.Verdict) int {
	switch d {
	case filter.Spam:
		return c.spam
	case filter.Unsure:
		return c.unsure
	}
	return c.ham
}
