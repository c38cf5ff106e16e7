// Package places says where chaff's own files are, by the XDG base directory rules.
package places

import (
	"os"
	"path/filepath"
	"strings"
)

// Config returns the path of the configuration that is read when none is named, empty if the home directory is unknown.
func Config(environ []string) string {
	return place(environ, "XDG_CONFIG_HOME", ".config", "config.toml")
}

// Model returns the path of the model that is used when none is named, empty if the home directory is unknown.
func Model(environ []string) string {
	return place(environ, "XDG_DATA_HOME", filepath.Join(".local", "share"), "model")
}

// Key returns the path of the secret key of the models that are made, empty if the home directory is unknown.
func Key(environ []string) string {
	return place(environ, "XDG_DATA_HOME", filepath.Join(".local", "share"), "key")
}

func place(environ []string, variable, fallback, name string) string {
	dir := value(environ, variable)
	if !filepath.IsAbs(dir) { // the rules say that a relative path counts as unset
		home := value(environ, "HOME")
		if home == "" {
			home, _ = os.UserHomeDir()
		}
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, fallback)
	}
	return filepath.Join(dir, "chaff", name)
}

// value returns an environment variable.
func value(environ []string, name string) string {
	for _, variable := range environ {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}
