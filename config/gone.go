package config

import (
	"slices"
	"strings"
)

// gone lists the settings that earlier versions had. A section ends in a dot. They have no effect, and [Loaded.Gone] names them.
func gone() []string {
	return []string{"models.hybrid.", "models.arow.", "models.complement.", "tokenize.classes"}
}

// isGone reports whether an earlier version had this setting, or this variable of the environment.
func isGone(name string) bool {
	variable, isVariable := strings.CutPrefix(name, envPrefix)
	return slices.ContainsFunc(gone(), func(old string) bool {
		key := strings.ToLower(name)
		if isVariable {
			key, old = strings.ToLower(variable), strings.ReplaceAll(old, ".", "_")
		}
		return key == old || strings.ContainsAny(old[len(old)-1:], "._") && strings.HasPrefix(key, old)
	})
}
