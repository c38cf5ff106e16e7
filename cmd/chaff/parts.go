package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"chaff/corpus"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/store"
	"chaff/train"
)

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
			x.warnOfSettings()
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
	a.fact("merged", "%s, %s", plural(m.Messages, "message"), both)
	a.count("", m.Left, "%d left out by the sample")
	if m.Saved == nil {
		a.saved()
		return
	}
	a.fitted(*m.Saved)
	if most > 0 && m.Largest > most {
		a.warn(screen.Sprintf("it has %s of one class, and store.max_messages is %d: the next fit forgets the others, unless it is set to 0",
			plural(m.Largest, "message"), most))
	}
}
