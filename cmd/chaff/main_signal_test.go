package main

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

func TestAnInterruptKeepsNoMessageFromComingOut(t *testing.T) {
	for name, tt := range map[string]struct {
		args    []string
		ignored bool
	}{
		"training":                {[]string{"train", "--pass"}, false},
		"no command":              {nil, false},
		"a verdict":               {[]string{"classify", "-m", "spam.model"}, false},
		"a message passed":        {[]string{"classify", "--pass"}, true},
		"a message passed, spelt": {[]string{"classify", "-m", "spam.model", "--pass=true"}, true},
	} {
		heed()
		_, stop := interruptible(tt.args)
		for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			if got := signal.Ignored(s); got != tt.ignored {
				t.Errorf("%s: %v is ignored: %v, want %v", name, s, got, tt.ignored)
			}
		}
		stop()
	}
	heed()
}

// heed undoes what made the process ignore signals, in a test before or in this one: what is listened for is not ignored.
func heed() {
	heeded := make(chan os.Signal, 1)
	signal.Notify(heeded, os.Interrupt, syscall.SIGTERM)
	signal.Stop(heeded)
}
