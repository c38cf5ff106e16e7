package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/screen"
)

func (p *program) importCommand() *cobra.Command {
	var settings settingFlags
	var path, kind string
	c := &cobra.Command{
		Use:   "import FILE [-m FILE]",
		Short: "Make a model from a table of weights",
		Long: `Import makes a model from a CSV table of weights with the columns term and
weight. The score of a message is the sum of the weights of its terms; a message
with a score above 0 is spam. The term (bias) is the bias. With the names of
classes instead of "weight", each class has its own weights. "-" reads the table
from stdin. To see the terms of a message, run chaff tokens.`,
		Example: `  chaff import weights.csv -m hand.model
  chaff import - --set tokenize.language=none < weights.csv`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no table of weights given: name its FILE, or - for stdin")
			}
			return atMostOne("table")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			return p.importWeights(c, &settings, args[0], path, kind)
		},
	}
	settings.add(p, c)
	p.addModelFile(c, &path, "save")
	c.Flags().StringVar(&kind, "features", features.Bits.String(), "weigh terms as `KIND`: bits, counts, normalised bits, normalised counts or head bits")
	return c
}

func (p *program) importWeights(c *cobra.Command, settings *settingFlags, table, path, kindName string) error {
	cfg, err := p.load(c, settings)
	if err != nil {
		return err
	}
	kind, err := features.ParseKind(kindName)
	if err != nil || kind == features.Whole {
		return fmt.Errorf("--features is %q: must be bits, counts, normalised bits, normalised counts or head bits", kindName)
	}
	if err := errors.Join(p.canSaveModel(path), p.mayReplace(path, "chaff import", true, false)); err != nil {
		return err
	}
	reading, keepKey, err := p.secretReading(cfg.Config)
	if err != nil {
		return err
	}
	weights, err := p.readWeights(table)
	if err != nil {
		return fmt.Errorf("import %s: %w", table, err)
	}
	f, err := weights.Filter(reading, kind)
	if err != nil {
		return fmt.Errorf("import %s: %w", table, err)
	}
	if err := errors.Join(save(f, path), keepKey()); err != nil {
		return err
	}
	screen.Printf(p.stdout, "Saved the weights of %s for the classes %s to %s.\n", plural(len(weights.Terms), "term"), strings.Join(weights.Classes, ", "), path)
	return nil
}

func (p *program) readWeights(table string) (filter.Weights, error) {
	var r io.Reader = p.stdin
	if table != "-" {
		file, err := os.OpenFile(table, os.O_RDONLY|syscall.O_NONBLOCK, 0) // which may be a pipe: it is empty if nobody writes to it
		if err != nil {
			return filter.Weights{}, errors.Unwrap(err) // the caller names the file
		}
		defer file.Close()
		r = file
	}
	return filter.ReadWeights(r)
}
