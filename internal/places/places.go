// Package places returns the default paths of chaff's own files, according to the XDG base directory specification.
package places

import (
	"os"
	"path/filepath"
	"strings"
)

// Config returns the default path of the configuration, "" if the home directory is unknown.
func Config(environ []string) string {
	return path(environ, "XDG_CONFIG_HOME", ".config", "config.toml")
}

// Model returns the default path of the model, "" if the home directory is unknown.
func Model(environ []string) string {
	return path(environ, "XDG_DATA_HOME", filepath.Join(".local", "share"), "model")
}

// Key returns the default path of the secret key for new models, "" if the home directory is unknown.
func Key(environ []string) string {
	return path(environ, "XDG_DATA_HOME", filepath.Join(".local", "share"), "key")
}

func path(environ []string, variable, fallback, name string) string {
	dir := value(environ, variable)
	if !filepath.IsAbs(dir) { // the specification ignores relative paths
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

// value returns the value of an environment variable.
func value(environ []string, name string) string {
	for _, variable := range environ {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}
