package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"chaff/internal/hint"
	"chaff/store"
)

func (p *program) mergeCommand() *cobra.Command {
	var settings settingFlags
	var out string
	var asJSON, replace bool
	c := &cobra.Command{
		Use:        "merge A B -o FILE",
		Short:      "Make a model of what two models have learned",
		SuggestFor: []string{"join", "combine", "union"},
		Long: `Merge makes a model, with its store, of the messages of two models: all that
either has learned. A message that both have counts once, with the class that
was learned later. The result is what training on these messages at once gives.

Both models must have been trained with the same key and the same settings of
message, tokenize, features and the model. Thresholds, split and seed are those
of A. Machines whose models are to be merged share a key file. FILE may be A or
B.`,
		Example: `  chaff merge home.model work.model -o both.model
  chaff merge mine.model theirs.model -o mine.model`,
		Args: func(_ *cobra.Command, models []string) error {
			if len(models) != 2 {
				return hint.With(fmt.Errorf("chaff merge takes two models, not %d", len(models)), "for example: chaff merge home.model work.model -o both.model")
			}
			return nil
		},
		RunE: func(c *cobra.Command, models []string) error {
			loaded, err := p.load(c, &settings)
			if err != nil {
				return err
			}
			p.warnOfModelSettings(loaded)
			if out == "" {
				return errors.New("no file for the merged model: name it with -o FILE")
			}
			for _, path := range models {
				if err := hasStore(path); err != nil {
					return err
				}
			}
			if err := canWrite([]place{{path: settings.file}}, store.Outputs(out)...); err != nil {
				return err
			}
			if !replace && out != models[0] && out != models[1] {
				if err := mayReplace(c, out); err != nil {
					return err
				}
			}
			merged, err := store.Merge(c.Context(), models[0], models[1], out, retrainOptions(loaded.Config))
			if err != nil {
				return aboutStore(out, aboutFit(err))
			}
			m := merging{out, merged}
			if asJSON {
				return printJSON(p.stdout, m)
			}
			p.printMerged(m)
			return nil
		},
	}
	settings.add(p, c, "workers", "memory")
	c.Flags().StringVarP(&out, "out", "o", "", "save the model as `FILE`")
	addReplace(c, &replace)
	addJSON(c, &asJSON, "print the result as JSON")
	return c
}

// merging is the JSON of merge.
type merging struct {
	File string `json:"file"`
	store.Merged
}

func (p *program) printMerged(m merging) {
	both := []string{fmt.Sprintf("%d in both", m.Both)}
	if m.Conflicts > 0 {
		both = append(both, fmt.Sprintf("%d of them with different classes: the later one counts", m.Conflicts))
	}
	field(p.stdout, "merged", "%s, %s", plural(m.Messages, "message"), strings.Join(both, ", "))
	p.printFitted(m.File, m.Saved, guarantees{})
}
