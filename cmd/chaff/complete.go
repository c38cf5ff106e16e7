package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/corpus/sources"
	"chaff/internal/places"
)

// completeValues makes the shell complete the value of a flag from a list.
func completeValues(c *cobra.Command, flag string, values ...string) {
	complete := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	if err := c.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // the flag does not exist
	}
}

// completePaths makes the shell complete the values of flags as paths, also of the hidden folders of a mailbox.
func completePaths(c *cobra.Command, flags ...string) {
	for _, flag := range flags {
		if err := c.RegisterFlagCompletionFunc(flag, mailFolders); err != nil {
			panic(err) // the flag does not exist
		}
	}
}

// mailFolders completes a path within a Maildir with its mail folders, which are hidden from shells, and leaves other paths to the
// shell.
func mailFolders(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	dir, start := filepath.Split(typed)
	if is, err := sources.Detect(inHome(dir)); err != nil || is.Format != sources.Maildir {
		return nil, cobra.ShellCompDirectiveDefault
	}
	entries, err := os.ReadDir(inHome(dir))
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var found []string
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), start) {
			continue
		}
		if is, err := sources.Detect(filepath.Join(inHome(dir), e.Name())); err == nil && is.Format == sources.Maildir {
			found = append(found, dir+e.Name())
		}
	}
	if len(found) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// inHome returns a path with the ~ that a shell would replace replaced.
func inHome(path string) string {
	if rest, found := strings.CutPrefix(path, "~/"); found {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if path == "" {
		return "."
	}
	return path
}

// completeSettings completes KEY=VALUE: the keys, and the values of a key that has few.
func (p *program) completeSettings(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	key, _, hasKey := strings.Cut(typed, "=")
	loaded, err := config.Load(config.Sources{DefaultFile: places.Config(p.environ), Environ: p.environ})
	if err != nil {
		loaded.Config = config.Default()
	}
	var all []string
	for _, v := range loaded.Describe() {
		switch {
		case !hasKey:
			all = append(all, cobra.CompletionWithDesc(v.Key+"=", v.Text))
		case v.Key == key:
			for _, value := range v.Choices() {
				all = append(all, key+"="+value)
			}
		}
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if !hasKey {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return all, directive
}
