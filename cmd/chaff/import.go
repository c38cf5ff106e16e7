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
	"chaff/filter/weights"
	"chaff/internal/hint"
	"chaff/internal/screen"
)

// importing is what chaff import is asked to do.
type importing struct {
	command    *cobra.Command
	settings   settingFlags
	path, kind string
	replace    bool
}

func (p *program) importCommand() *cobra.Command {
	var x importing
	c := &cobra.Command{
		Use:   "import FILE [-m FILE]",
		Short: "Make a model from weights",
		Long: `Import makes a model from a CSV table of weights with the columns term and
weight. The score of a message is the sum of the weights of its terms; a message
with a score above 0 is spam. The term (bias) is the bias. With the names of
classes instead of "weight", each class has its own weights. "-" reads the table
from stdin. To see the terms of a message, run chaff tokens.`,
		Example: `  chaff import weights.csv -m hand.model
  chaff import - --set tokenize.language=none < weights.csv`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return hint.With(errors.New("nothing to import given"), "name a table of weights, or - for stdin")
			}
			return atMostOne("table")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error { return p.importWeights(&x, args[0]) },
	}
	x.command = c
	x.settings.add(p, c, "workers", "memory")
	p.addModelFile(c, &x.path, "save")
	f := c.Flags()
	f.StringVar(&x.kind, "features", features.Bits.String(), "weigh terms as `KIND`: bits, counts, normalised bits, normalised counts or head bits")
	addReplace(c, &x.replace)
	return c
}

// canSave returns an error if the model cannot be saved, or would replace one that has learned.
func (x *importing) canSave(p *program, reads ...place) error {
	if err := p.canSaveModel(x.path, append(reads, place{path: x.settings.file})); err != nil || x.replace {
		return err
	}
	return mayReplace(x.command, x.path)
}

func (p *program) importWeights(x *importing, table string) error {
	cfg, err := p.load(&x.settings)
	if err != nil {
		return err
	}
	kind, err := features.ParseKind(x.kind)
	if err != nil || kind == features.Whole {
		return fmt.Errorf("--features is %q: must be bits, counts, normalised bits, normalised counts or head bits", x.kind)
	}
	if err := x.canSave(p, place{path: table}); err != nil {
		return err
	}
	reading, keepKey, err := p.secretReading(cfg.Config)
	if err != nil {
		return err
	}
	var w weights.Weights
	err = p.withFile(table, func(r io.Reader) (err error) {
		w, err = weights.Read(r)
		return err
	})
	if err != nil {
		return fmt.Errorf("import %s: %w", table, err)
	}
	f, err := w.Filter(reading, kind)
	if err != nil {
		return fmt.Errorf("import %s: %w", table, err)
	}
	if err := errors.Join(saveAlone(x.command.Context(), f, x.path), keepKey()); err != nil {
		return err
	}
	screen.Printf(p.stdout, "Saved the weights of %s for the classes %s to %s.\n", plural(len(w.Terms), "term"), strings.Join(w.Classes, ", "), x.path)
	return nil
}

// withFile calls use with a file, or with stdin for "-". The error does not name the file.
func (p *program) withFile(path string, use func(r io.Reader) error) error {
	if path == stdinPath {
		return use(p.stdin)
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // which may be a pipe: it is empty if nobody writes to it
	if err != nil {
		return errors.Unwrap(err) // the caller names the file
	}
	defer file.Close()
	return use(file)
}
