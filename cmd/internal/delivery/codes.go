package delivery

import (
	"fmt"

	"chaff/filter"
)

const (
	exitError    = 1
	exitTempFail = 75 // EX_TEMPFAIL of sysexits.h: the mail system keeps the message and tries again
)

// codes is how a filter tells its verdict by its exit code.
type codes struct{ ham, unsure, spam, trouble int }

// presets returns the exit codes of the filters whose place chaff can take; without a preset the code says only whether
// all went well.
func presets(name string) (codes, error) {
	switch name {
	case "":
		return codes{trouble: exitError}, nil
	case "bogofilter":
		return codes{spam: 0, ham: 1, unsure: 2, trouble: 3}, nil
	case "spamassassin":
		return codes{spam: 1, ham: 0, unsure: 0, trouble: 2}, nil
	}
	return codes{}, fmt.Errorf("--exit-code=%s is not known: must be bogofilter or spamassassin", name)
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
