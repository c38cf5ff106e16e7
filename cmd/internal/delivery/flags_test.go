package delivery

import (
	"strings"
	"testing"
)

func TestIntentOfWrongArguments(t *testing.T) {
	for args, want := range map[string]struct {
		pass bool
		code int
	}{
		"":                                    {false, 1},
		"--pass":                              {true, 75},
		"--pass=true":                         {true, 75},
		"--pass=1":                            {true, 75},
		"--pass=T":                            {true, 75},
		"--pass=TRUE --modle":                 {true, 75},
		"--pass=perhaps":                      {true, 75},
		"--pass=false":                        {false, 1},
		"--pass=0 --modle":                    {false, 1},
		"--pass --pass=F":                     {false, 1},
		"--modle x --pass":                    {true, 75},
		"-x --pass":                           {true, 75},
		"-m -- --pass":                        {true, 75},
		"-m --pass":                           {false, 1},
		"--json=x --pass":                     {true, 75},
		"-- --pass":                           {true, 75},
		"--- --pass":                          {true, 75},
		"-pass":                               {true, 75},
		"-m=x - --pass":                       {true, 75},
		"a.eml --pass":                        {true, 75},
		"--exit-code":                         {false, 3},
		"--exit-code=spamassassin --modle":    {false, 2},
		"--exit-code=spamassassin --pass":     {true, 75},
		"--exit-code=procmail":                {false, 3},
		"classify --format mbox --pass --oje": {true, 75},
	} {
		if got := parse(strings.Fields(args)); got.Pass != want.pass || got.codes().trouble != want.code {
			t.Errorf("%q: got %v and %d, want %v and %d", args, got.Pass, got.codes().trouble, want.pass, want.code)
		}
	}
}
