package delivery

import "testing"

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
