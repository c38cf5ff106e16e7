package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"chaff/features"
	"chaff/filter/weights"
	"chaff/internal/hint"
	"chaff/internal/screen"
)

func importCommand(p *program) *cobra.Command {
	var x onModel
	var kind string
	var replacing bool
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
		RunE: func(_ *cobra.Command, args []string) error { return importWeights(&x, args[0], kind, replacing) },
	}
	x.add(p, c, "save", "", "workers", "memory")
	c.Flags().StringVar(&kind, "features", features.Bits.String(), "weigh terms as `KIND`: bits, counts, normalised bits, normalised counts or head bits")
	addReplace(c, &replacing)
	return c
}

// importWeights makes a model from a table of weights.
func importWeights(x *onModel, table, kindName string, replacing bool) error {
	if err := x.load(false); err != nil {
		return err
	}
	kind, err := features.ParseKind(kindName)
	if err != nil || kind == features.Whole {
		return fmt.Errorf("--features is %q: must be bits, counts, normalised bits, normalised counts or head bits", kindName)
	}
	if err := x.canSaveModel(x.model, []place{{path: table}, {path: x.settings.file}}); err != nil {
		return err
	}
	if !replacing {
		if err := mayReplace(x.command, x.model); err != nil {
			return err
		}
	}
	reading, keepKey, err := x.secretReading(x.Config)
	if err != nil {
		return err
	}
	from := x.stdin
	if table != stdinPath {
		file, err := os.OpenFile(table, os.O_RDONLY|syscall.O_NONBLOCK, 0) // which may be a pipe: it is empty if nobody writes to it
		if err != nil {
			return fmt.Errorf("import %s: %w", table, errors.Unwrap(err))
		}
		defer file.Close()
		from = file
	}
	w, err := weights.Read(from)
	if err != nil {
		return fmt.Errorf("import %s: %w", table, err)
	}
	f, err := w.Filter(reading, kind)
	if err != nil {
		return fmt.Errorf("import %s: %w", table, err)
	}
	if err := errors.Join(saveAlone(x.command.Context(), f, x.model), keepKey()); err != nil {
		return err
	}
	screen.Printf(x.stdout, "Saved the weights of %s for the classes %s to %s.\n", plural(len(w.Terms), "term"), strings.Join(w.Classes, ", "), x.model)
	return nil
}
