package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"chaff/internal/screen"
	"chaff/tokenize"
)

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			version := "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				version = info.Main.Version
			}
			_, err := screen.Printf(p.stdout, "chaff %s, terms %q, %s %s/%s\n",
				version, tokenize.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
