package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/logfile"
	"chaff/internal/replace"
	"chaff/metrics"
	"chaff/store"
	"chaff/train"
)

func retrainCommand(p *program) *cobra.Command {
	var x onModel
	c := &cobra.Command{
		Use:   "retrain [-m FILE]",
		Short: "Fit the model again to all messages of its log",
		Long: `Retrain fits the model again to all messages that its log has, and chooses
the thresholds anew. It needs no mail, since the log has the terms of each
message as numbers. The result is what training on these messages at once gives;
messages that were forgotten leave no trace.

The settings are those that the model was trained with.`,
		Example: `  chaff retrain
  chaff retrain -m spam.model --json`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			x.warnOfSettings()
			done, err := x.retrain(nil)
			if err != nil {
				return err
			}
			return x.show(done, done.describe)
		},
	}
	x.add(p, c, "fit", "print the result as JSON", "workers", "memory")
	return c
}

func backupCommand(p *program) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "backup -o FILE",
		Short: "Save all that a model was taught as one file",
		Long: `Backup writes what a model was taught as one file: the log, which has the
settings and the secret key as well. chaff restore makes the model anew from it.
Others may learn meanwhile. The file has the words of your mail, so it is
readable by its owner only.`,
		Example: `  chaff backup -o chaff.backup
  chaff backup -m spam.model -o - | ssh host 'umask 77; cat > spam.backup'`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if out == "" {
				return errors.New("no file for the backup: name it with -o FILE")
			}
			if out == stdinPath {
				out = stdoutPath
			}
			if err := p.hasStore(p.model); err != nil {
				return err
			}
			output := replace.Output{Path: out, Kind: store.LogKind()}
			if err := canWrite([]string{p.model, filter.LogOf(p.model)}, output); err != nil {
				return err
			}
			n, err := store.Backup(p.model, out)
			if err != nil {
				return err
			}
			if a := (answer{program: p}); out != stdoutPath { // which has the backup
				a.fact("saved", "%s, with %s", out, plural(n, "message"))
			}
			return nil
		},
	}
	p.addModelFile(c, "back up", "")
	c.Flags().StringVarP(&out, "out", "o", "", "write the backup to `FILE`, or to stdout if it is -")
	return c
}

func restoreCommand(p *program) *cobra.Command {
	var x onModel
	var replacing bool
	c := &cobra.Command{
		Use:   "restore FILE",
		Short: "Make a model anew from a backup",
		Long: `Restore makes a model and its log of what chaff backup has saved, or of the log
of a model that is lost. It is the model that chaff retrain makes of the same
messages, byte for byte.`,
		Example: `  chaff restore chaff.backup
  chaff restore spam.model.log -m again.model`,
		Args: oneArgument("backup", 1),
		RunE: func(c *cobra.Command, paths []string) error {
			x.warnOfSettings()
			x.replace = true // a model that is there is an error without --replace
			if err := x.canMake(paths); err != nil {
				return err
			}
			saved, err := store.Restore(c.Context(), paths[0], x.model, x.fitting(), replacing)
			switch {
			case errors.Is(err, fs.ErrExist):
				return hint.With(fmt.Errorf("there is a model %s or its log already", x.model), "chaff restore --replace replaces them")
			case errors.Is(err, logfile.ErrTruncated), errors.Is(err, logfile.ErrDamaged):
				return hint.With(err, "restore from another backup")
			case errors.Is(err, logfile.ErrNotLog), errors.Is(err, replace.ErrSpecial):
				return hint.With(err, "give a file that chaff backup has written, or the log of a model: FILE.log")
			case err != nil:
				return err
			}
			return x.show(map[string]any{"file": x.model, "saved_model": saved}, func(a *answer) { a.fitted(saved) })
		},
	}
	x.add(p, c, "make", "print the result as JSON", "workers", "memory")
	c.Flags().BoolVar(&replacing, "replace", false, "replace the model and the log that are there")
	return c
}

// retrained is what a fit changed. It is the result of retrain, and of review that settles labels.
type retrained struct {
	File string `json:"file"`
	// Changed is how many times a message was learned, moved or forgotten since the fit before.
	Changed int                    `json:"changed"`
	Before  *metrics.VerdictCounts `json:"before,omitempty"` // the out-of-fold verdicts at that fit
	Saved   train.Refitted         `json:"saved_model"`
	Expired int                    `json:"expired,omitempty"` // the number of messages that left because they were the oldest

	confirmed, corrected int // labels
}

func (r retrained) describe(a *answer) {
	if r.confirmed+r.corrected > 0 {
		a.fact("labels", "%d confirmed, %d corrected", r.confirmed, r.corrected)
	} else {
		a.fact("changes", "%d since the last fit", r.Changed)
		a.count("expired", r.Expired, ofExpired)
	}
	a.verdicts("before", r.Before, "")
	a.fitted(r.Saved)
}

// retrain fits the model again. If settle is not nil, it says which labels are right.
func (x *onModel) retrain(settle func(s *store.Store) (labels map[uint64]int, err error)) (done retrained, err error) {
	done.File = x.model
	after, err := x.change(false, func(s *store.Store) error {
		before, err := train.ProvenanceOf(s.Filter())
		if err != nil {
			return err
		}
		done.Changed, done.Before = s.Changed(), before.Verdicts
		var labels map[uint64]int
		if settle != nil {
			labels, err = settle(s)
		}
		if err == nil {
			done.Saved, err = s.Retrain(x.command.Context(), labels, x.fitting())
		}
		return err
	})
	done.Expired = after.Expired
	return done, err
}

func retrainOptions(cfg config.Config) store.RetrainOptions {
	return store.RetrainOptions{Workers: cfg.Workers, Memory: collectOptions(cfg).Memory}
}

// fitting returns the options of a fit that reports its progress.
func (x *onModel) fitting() store.RetrainOptions {
	o := retrainOptions(x.Config)
	o.Pass = x.progress(fittingModel, "epochs")
	return o
}

// fittingModel begins the progress report of a fit.
const fittingModel = "fitting the model"

// fitted describes the model, which was fitted to all messages of its log.
func (a *answer) fitted(r train.Refitted) {
	a.fact("fitted to", "all %s: %s, %.2f CPU seconds", plural(r.Messages, "message"), plural(r.Terms, "term"), r.Seconds)
	a.thresholds(r.Thresholds)
	a.choice(r, heldOut)
	a.doubtful(r.Doubtful, "chaff review"+a.use()+" PATH")
	a.saved()
	for _, warning := range r.Warnings {
		a.warn(warning)
	}
}
