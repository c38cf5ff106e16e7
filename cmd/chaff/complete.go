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

// complete makes the shell complete the values of flags. Only a shell that asks gets the functions, because cobra keeps them, and the
// commands with them, as long as the process lives.
func (p *program) complete(c *cobra.Command, completion cobra.CompletionFunc, flags ...string) {
	for _, flag := range flags {
		if c.Flag(flag) == nil {
			panic("no flag to complete: " + flag)
		}
		if !p.completes {
			continue
		}
		if err := c.RegisterFlagCompletionFunc(flag, completion); err != nil {
			panic(err)
		}
	}
}

// listed completes a value from a list.
func listed(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// mailFolders completes a path within a Maildir with its mail folders, which are hidden from shells, and leaves other paths to the
// shell.
func mailFolders(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	dir, start := filepath.Split(typed)
	isMaildir := func(path string) bool {
		is, err := sources.Detect(path)
		return err == nil && is.Format == sources.Maildir
	}
	var found []string
	if isMaildir(inHome(dir)) {
		entries, _ := os.ReadDir(inHome(dir)) // what cannot be read is not completed
		for _, e := range entries {
			if e.IsDir() && strings.HasPrefix(e.Name(), start) && isMaildir(filepath.Join(inHome(dir), e.Name())) {
				found = append(found, dir+e.Name())
			}
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
func completeSettings(environ []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) (all []string, _ cobra.ShellCompDirective) {
		key, _, hasKey := strings.Cut(typed, "=")
		loaded, err := config.Load(config.Sources{DefaultFile: places.Config(environ), Environ: environ})
		if err != nil {
			loaded.Config = config.Default()
		}
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
		if hasKey {
			return all, cobra.ShellCompDirectiveNoFileComp
		}
		return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}
