package main

import (
	"errors"
	"fmt"
	"slices"
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
		Use:        "merge A B ... -o FILE",
		Short:      "Make a model of what several models have learned",
		SuggestFor: []string{"join", "combine", "union"},
		Long: `Merge makes a model, with its log, of the messages of several models: all that
any of them has learned. A message that more than one has counts once, with what
was taught last: its class, or that it was forgotten. The order of the models
changes nothing, and the result is what training on these messages at once
gives.

All models must have been trained with the same key and the same settings of
message, tokenize, features and the model. Thresholds, split and seed are those
of A. Machines whose models are to be merged share a key file. FILE may be one
of the models.`,
		Example: `  chaff merge home.model work.model -o both.model
  chaff merge mine.model theirs.model -o mine.model`,
		Args: func(_ *cobra.Command, models []string) error {
			if len(models) < 2 {
				return hint.With(fmt.Errorf("chaff merge takes two models or more, not %d", len(models)), "for example: chaff merge home.model work.model -o both.model")
			}
			return nil
		},
		RunE: func(c *cobra.Command, models []string) error {
			loaded, err := p.load(&settings)
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
			if !replace && !slices.Contains(models, out) {
				if err := mayReplace(c, out); err != nil {
					return err
				}
			}
			merged, err := store.Merge(c.Context(), models, out, retrainOptions(loaded.Config))
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
	both := []string{fmt.Sprintf("%d in more than one", m.Both)}
	if m.Conflicts > 0 {
		both = append(both, fmt.Sprintf("%d of them with different classes: the later one counts", m.Conflicts))
	}
	field(p.stdout, "merged", "%s, %s", plural(m.Messages, "message"), strings.Join(both, ", "))
	p.printFitted(m.File, m.Saved, guarantees{})
}
