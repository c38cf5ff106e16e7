package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/corpus"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/logfile"
	"chaff/internal/replace"
	"chaff/internal/screen"
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
				a.fact("saved", "%s, with %s", out, screen.Plural(n, "message"))
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
	a.fact("fitted to", "all %s: %s, %.2f CPU seconds", screen.Plural(r.Messages, "message"), screen.Plural(r.Terms, "term"), r.Seconds)
	a.thresholds(r.Thresholds)
	a.choice(r, heldOut)
	a.doubtful(r.Doubtful, "chaff review"+a.use()+" PATH")
	a.saved()
	for _, warning := range r.Warnings {
		a.warn(warning)
	}
}

func addSample(c *cobra.Command, k *int, what string) {
	c.Flags().Func("sample", "take a part `1/K` "+what, func(text string) error {
		var one int
		if one, *k = fraction(text); one != 1 || *k < 1 {
			return errors.New("must be 1 of a number, such as 1/4")
		}
		return nil
	})
}

// fraction returns the numbers of a text I/N, or -1.
func fraction(text string) (i, n int) {
	if _, err := fmt.Sscanf(text, "%d/%d", &i, &n); err != nil || text != fmt.Sprintf("%d/%d", i, n) {
		return -1, -1
	}
	return i, n
}

type collecting struct {
	onModel
	sources               sourceFlags
	shard, shards, sample int // 0 shards and samples if the flag is not given
}

func collectCommand(p *program) *cobra.Command {
	var x collecting
	c := &cobra.Command{
		Use:   "collect PATH... -m PART [--shard I/N]",
		Short: "Read a part of the mail for a model that several machines train",
		Long: `Collect reads mail as chaff train does, and saves what a model learns from it as
a part: PART.log, and in the place of the model a file that judges no message.
Chaff merge makes a model of the parts of all machines, the one that chaff train
makes of all mail at once.

All parts need one secret key, which the setting key_file names, and the same
settings. With --shard I/N, I from 0 to N-1, it takes the messages whose path,
or place in their file, hashes to I modulo N: give all N tasks the same paths. A
task that is killed or repeated does no harm.`,
		Example: `  chaff collect ~/Maildir --set key_file=chaff.key -m home.part
  chaff collect ~/Maildir --set key_file=chaff.key -m 3.part --shard 3/16
  chaff merge *.part -o model`,
		RunE: func(*cobra.Command, []string) error { return x.collect() },
	}
	x.add(p, c, "", "print the result as JSON", "model", "workers", "memory", "seed", "split")
	x.sources.add(c)
	c.Flags().StringVarP(&x.model, "model-file", "m", "", "save the part as `FILE`")
	c.Flags().Func("shard", "take shard `I/N` of the messages, I from 0 to N-1", func(text string) error {
		if x.shard, x.shards = fraction(text); x.shard < 0 || x.shard >= x.shards {
			return errors.New("must be two numbers such as 0/4, the first from 0 to the second less 1")
		}
		return nil
	})
	addSample(c, &x.sample, "of the messages")
	x.addReplace()
	return c
}

func (x *collecting) collect() error {
	if x.model == "" {
		return hint.With(errors.New("no file for the part"), "name it with -m PART")
	}
	mail, err := x.sources.open()
	if err != nil {
		return err
	}
	if _, err := os.Stat(x.KeyFile); errors.Is(err, fs.ErrNotExist) {
		return hint.With(fmt.Errorf("key_file is %q: must name the file of the secret key that all parts of a model have, since one made at random fits no other part", x.KeyFile),
			"(umask 77; openssl rand -hex 16 > chaff.key) makes one; copy it to all machines, and name it with --set key_file=chaff.key")
	}
	o, _, err := x.forNewModel(append(mail.reads, x.KeyFile))
	if err != nil {
		return err
	}
	o.Sample = x.sample
	if x.shards > 0 {
		mail.source = corpus.Shard(mail.source, x.shard, x.shards)
	}
	mail.isPart = x.shards+x.sample > 0
	some, err := x.read(mail, o.ReadOptions)
	if err != nil {
		return err
	}
	fit := train.Options{Models: x.Models, Thresholds: x.Thresholds}
	if err := store.Collect(x.command.Context(), x.model, some, x.Model, o, fit, x.Store, x.replace); err != nil {
		return err
	}
	s := some.Summary()
	return x.show(map[string]any{"file": x.model, "corpus": s}, func(a *answer) {
		a.mail(s)
		a.saved()
	})
}

func mergeCommand(p *program) *cobra.Command {
	var x onModel
	var o store.MergeOptions
	c := &cobra.Command{
		Use:   "merge PART... -o FILE",
		Short: "Make a model of parts, or of what several models have learned",
		Long: `Merge makes a model, with its log, of the messages of parts that chaff collect
has made, and of models: all that any of them has learned. With - it reads their
paths from stdin, one on a line. A message that more than one has counts once,
with the class that a person has confirmed, else with what was taught last: its
class, or that it was forgotten. The order changes nothing, and the result is
what training on these messages at once gives.

All must have been made with the same key and the same settings of message,
tokenize, features and the model. FILE may be one of them.

One fit takes up to 5 million messages; --sample fits a part of more.`,
		Example: `  chaff merge home.model work.model -o both.model
  ls parts/*.part | chaff merge - -o all.model
  chaff merge 1.part 2.part --no-fit -o 12.part`,
		RunE: func(c *cobra.Command, paths []string) error {
			if x.model == "" {
				return errors.New("no file for the merged model: name it with -o FILE")
			}
			if i := slices.Index(paths, stdinPath); i >= 0 {
				listed, err := p.linesOf(stdinPath)
				if err != nil {
					return fmt.Errorf("read the list of parts from stdin: %w", err)
				}
				paths = slices.Replace(paths, i, i+1, listed...)
			}
			if len(paths) == 0 {
				return hint.With(errors.New("no parts or models to merge"), "for example: chaff merge home.model work.model -o both.model")
			}
			for _, path := range paths {
				if err := p.hasStore(path); err != nil {
					return hint.With(err, "each is a part that chaff collect made, or a model with its log")
				}
			}
			x.replace = x.replace || slices.Contains(paths, x.model) // which keeps what it has learned
			if err := x.canMake(nil); err != nil {
				return err
			}
			o.RetrainOptions = x.fitting()
			merged, err := store.Merge(c.Context(), paths, x.model, o)
			if err != nil {
				return err
			}
			m := merging{x.model, merged}
			return x.show(m, func(a *answer) { m.describe(a, x.Store.MaxMessages) })
		},
	}
	x.add(p, c, "", "print the result as JSON", "workers", "memory")
	c.Flags().StringVarP(&x.model, "out", "o", "", "save the model as `FILE`")
	c.Flags().BoolVar(&o.Part, "no-fit", false, "make a part, which can be merged with others")
	addSample(c, &o.Sample, "of the groups of near-duplicates")
	x.addReplace()
	return c
}

type merging struct {
	File string `json:"file"`
	store.Merged
}

// describe adds what was merged; most is store.max_messages.
func (m merging) describe(a *answer, most int) {
	both := screen.Sprintf("%d in more than one", m.Both)
	if m.Conflicts > 0 {
		both += screen.Sprintf(", %d of them with different classes: the later one counts", m.Conflicts)
	}
	a.fact("merged", "%s, %s", screen.Plural(m.Messages, "message"), both)
	a.count("", m.Left, "%d left out by the sample")
	if m.Saved == nil {
		a.saved()
		return
	}
	a.fitted(*m.Saved)
	if most > 0 && m.Largest > most {
		a.warn(screen.Sprintf("it has %s of one class, and store.max_messages is %d: the next fit forgets the others, unless it is set to 0",
			screen.Plural(m.Largest, "message"), most))
	}
}
