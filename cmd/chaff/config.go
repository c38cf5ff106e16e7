package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/internal/screen"
)

func (p *program) configCommand() *cobra.Command {
	var settings settingFlags
	var explain, asJSON bool
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the settings in force, and what can be set",
		Long: `Config prints all settings as a TOML file, with the origin of each: default, file, environment or
command line. Later origins win. The output is a configuration file.`,
		Example: `  chaff config
  chaff config --explain | less
  chaff config > chaff.toml`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			loaded, err := p.load(c, &settings)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.stdout, loaded.Describe())
			}
			return p.printConfig(loaded, explain)
		},
	}
	settings.add(c)
	c.Flags().BoolVar(&explain, "explain", false, "describe each setting")
	addJSON(c, &asJSON, "print the settings as JSON")
	return c
}

func (p *program) printConfig(loaded config.Loaded, explain bool) error {
	var out strings.Builder
	if loaded.File != "" {
		fmt.Fprintf(&out, "# file: %s\n", screen.Printable(loaded.File))
	}
	section := ""
	for _, v := range loaded.Describe() {
		name := v.Key
		if i := strings.LastIndexByte(v.Key, '.'); i >= 0 {
			name = v.Key[i+1:]
			if v.Key[:i] != section {
				section = v.Key[:i]
				fmt.Fprintf(&out, "\n[%s]\n", section)
			}
		}
		line := fmt.Sprintf("%s = %s", name, v.TOML())
		if !explain {
			fmt.Fprintf(&out, "%-40s # %s\n", line, v.Origin)
			continue
		}
		out.WriteString("\n")
		for _, text := range wrap(v.Text, 96) {
			fmt.Fprintf(&out, "# %s\n", text)
		}
		fmt.Fprintf(&out, "# Now from: %s. In the environment: %s\n%s\n", v.Origin, v.Variable, line)
	}
	for _, entry := range loaded.Tune.Search { // tables of their own, below the section that is last
		fmt.Fprintf(&out, "\n%s", entry.TOML())
	}
	_, err := screen.Lines(p.stdout).Write([]byte(out.String()))
	return err
}

// wrap breaks text at spaces into lines of at most width bytes, if words allow it.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
