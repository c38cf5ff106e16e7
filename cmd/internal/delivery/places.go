package delivery

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ConfigPath returns the default path of the configuration by the XDG base directory specification, "" if the home directory is unknown.
func ConfigPath(environ []string) string {
	return pathOf(environ, "XDG_CONFIG_HOME", ".config", "config.toml")
}

// ModelPath is ConfigPath for the model.
func ModelPath(environ []string) string {
	return pathOf(environ, "XDG_DATA_HOME", filepath.Join(".local", "share"), "model")
}

// KeyPath is ConfigPath for the secret key of new models.
func KeyPath(environ []string) string {
	return pathOf(environ, "XDG_DATA_HOME", filepath.Join(".local", "share"), "key")
}

func pathOf(environ []string, variable, fallback, name string) string {
	dir := Variable(environ, variable)
	if !filepath.IsAbs(dir) { // the specification ignores relative paths
		home := Variable(environ, "HOME")
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

// Variable returns the value of an environment variable, the last one if it has several.
func Variable(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	return ""
}
