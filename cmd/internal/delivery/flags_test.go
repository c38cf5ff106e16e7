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

func TestPlacesFollowTheEnvironment(t *testing.T) {
	for name, tt := range map[string]struct {
		environ       []string
		model, config string
	}{
		"the home directory":        {[]string{"A=b", "HOME=/home/a"}, "/home/a/.local/share/chaff/model", "/home/a/.config/chaff/config.toml"},
		"folders of their own":      {[]string{"HOME=/home/a", "XDG_DATA_HOME=/d", "XDG_CONFIG_HOME=/c"}, "/d/chaff/model", "/c/chaff/config.toml"},
		"a relative one is not set": {[]string{"XDG_DATA_HOME=d", "HOME=/home/a"}, "/home/a/.local/share/chaff/model", "/home/a/.config/chaff/config.toml"},
	} {
		if got := Path(tt.environ, DataHome, "model"); got != tt.model {
			t.Errorf("%s: got the model %q, want %q", name, got, tt.model)
		}
		if got := Path(tt.environ, ConfigHome, "config.toml"); got != tt.config {
			t.Errorf("%s: got the configuration %q, want %q", name, got, tt.config)
		}
	}
}
