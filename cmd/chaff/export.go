package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/features"
	"chaff/filter"
	"chaff/filter/weights"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/store"
	"chaff/train"
)

func exportCommand(p *program) *cobra.Command {
	var x exporting
	c := &cobra.Command{
		Use:   "export [-m FILE] PATH...",
		Short: "Write labelled mail, or the weights of a model, for other programs",
		Long: `Export writes labelled mail as feature vectors, one message a line, in the text
format of LIBSVM or of Vowpal Wabbit. Features are numbered from 1; --terms
writes the term of each. The labels of ham and spam are -1 and +1, those of
other classes 1, 2, 3 in the order of chaff inspect.

With --weights it writes the weights of the model as CSV, for chaff import. Give
chaff import the kind of features that chaff inspect prints.`,
		Example: `  chaff export --ham inbox --spam junk > mail.libsvm
  chaff export --ham inbox --spam junk --as vw --terms terms.tsv > mail.vw
  chaff export --weights > weights.csv
  chaff import weights.csv --features 'normalised bits' -m again.model`,
		RunE: func(*cobra.Command, []string) error { return x.run() },
	}
	x.sources.add(c)
	x.onModel.add(p, c, "use", "", "workers")
	f := c.Flags()
	f.StringVar(&x.format, "as", string(features.LibSVM), "write `FORMAT`: libsvm or vw")
	f.StringVar(&x.terms, "terms", "", "write the table of terms to `FILE`: number, training messages, term")
	f.BoolVar(&x.weights, "weights", false, "write the weights of the model as CSV, and no mail")
	exclude(c, "weights", mapped(sourceTable, func(s sourceFlag) string { return s.name })...)
	return c
}

type exporting struct {
	experiment
	format, terms string
	weights       bool
}

func (x *exporting) run() error {
	format, err := features.ParseExportFormat(x.format)
	if err != nil {
		return fmt.Errorf("--as: %w", err)
	}
	f, err := x.openModel()
	if err != nil {
		return err
	}
	if path := x.sources.flags.Arg(0); x.weights && path != "" {
		return fmt.Errorf("--weights writes no mail: leave out %s", path)
	}
	var mail *train.Mail
	output := replace.Output{Path: x.terms, Kind: termsKind}
	if x.weights {
		err = canWrite(nil, output)
	} else {
		mail, err = x.readFor(f, output)
	}
	if err == nil && x.terms != "" {
		err = x.writeTerms(f)
	}
	if err != nil {
		return err
	}
	if x.weights {
		w, err := weights.Of(f)
		if err != nil {
			return delivery.ModelError(x.model, err)
		}
		return w.WriteCSV(x.stdout)
	}
	d := mail.DatasetFor(f, x.Workers)
	return errors.Join(d.Write(x.stdout, format), d.Err())
}

// termsHead begins a table of terms.
const termsHead = "chaff_feature\tmessages\tterm\n"

var termsKind = replace.Kind{Name: "table of terms", Start: termsHead}

func (x *exporting) writeTerms(f *filter.Filter) error {
	terms, err := f.Terms()
	if err != nil {
		return delivery.ModelError(x.model, err)
	}
	return x.writeFile(x.terms, termsKind, func(w io.Writer) error {
		if _, err := io.WriteString(w, termsHead); err != nil {
			return err
		}
		for id, documents := range terms.Documents {
			if _, err := screen.Printf(w, "%s\t%s\t%s\n", strconv.Itoa(f.FirstTerm()+id+1), strconv.Itoa(int(documents)), terms.Text(id)); err != nil {
				return err
			}
		}
		return nil
	})
}

func importCommand(p *program) *cobra.Command {
	var x onModel
	var name string // of the kind of features
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
		Args: oneArgument("table", 1),
		RunE: func(_ *cobra.Command, args []string) error {
			table := args[0]
			kind, err := features.ParseKind(name)
			if err != nil || kind == features.Whole || kind == features.Evidence {
				return fmt.Errorf("--features is %q: must be bits, counts, normalised bits, normalised counts or head bits", name)
			}
			o, keepKey, err := x.forNewModel([]string{table})
			if err != nil {
				return err
			}
			from := x.streams.In
			if table != stdinPath {
				file, err := os.OpenFile(table, os.O_RDONLY|syscall.O_NONBLOCK, 0) // which may be a pipe: it is empty if nobody writes to it
				if err != nil {
					return fmt.Errorf("import %s: %w", table, errors.Unwrap(err))
				}
				defer file.Close()
				from = file
			}
			var f *filter.Filter
			w, err := weights.Read(from)
			if err == nil {
				f, err = w.Filter(o.Reading, kind)
			}
			if err != nil {
				return fmt.Errorf("import %s: %w", table, err)
			}
			if err := errors.Join(store.SaveAlone(x.command.Context(), x.model, f), keepKey()); err != nil {
				return err
			}
			screen.Printf(x.stdout, "Saved the weights of %s for the classes %s to %s.\n", screen.Plural(len(w.Terms), "term"), strings.Join(w.Classes, ", "), x.model)
			return nil
		},
	}
	x.add(p, c, "save", "", "workers", "memory")
	c.Flags().StringVar(&name, "features", features.Bits.String(), "weigh terms as `KIND`: bits, counts, normalised bits, normalised counts or head bits")
	x.addReplace()
	return c
}
