package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/corpus/sources"
	"chaff/evaluate"
	"chaff/evaluate/lesson"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/models"
	"chaff/report"
	"chaff/train"
)

func demoCommand(p *program) *cobra.Command {
	const demoSplits = 5 // each fifth of the mail is the test part once, and the development part once
	var x onModel
	var save string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Train and compare models on built-in sample mail",
		Long: `Demo trains the default model on a small built-in corpus of invented mail and
judges messages that it has not seen. It shows the training, development and
test accuracy of the classifiers, each the mean over five splits of the mail;
--verbose shows all of them. Demo reads no other mail and writes no file, unless
--save names a folder for the sample mail.`,
		Example: `  chaff demo
  chaff demo --verbose
  chaff demo --save Maildir && chaff train --maildir Maildir
  chaff demo --seed 2 --set tokenize.language=none`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("save") {
				return saveSample(p.stdout, save)
			}
			x.Split.Method = corpus.SplitGrouped // by chance, several times
			collection, err := x.divided(labelled{source: sample.Source(), classes: spamClasses()}, collectOptions(x.Config))
			if err != nil {
				return err
			}
			names := models.Names()
			if !p.verbose {
				names = []string{"bernoulli", "multinomial", "perceptron", "averaged-perceptron", "softmax"}
				if !slices.Contains(names, x.Model) {
					names = append(names, x.Model)
				}
			}
			results, err := evaluate.CrossValidate(c.Context(), collection, names, demoSplits, x.trainOptions(""))
			if err != nil {
				return err
			}
			r := demoReport{Corpus: collection.Summary(), Judged: []demoJudged{}, Splits: demoSplits, config: x.Config}
			r.Models = mapped(results, func(v evaluate.CrossValidation) demoModel {
				return demoModel{v.Model, v.Kind, v.Mean(corpus.Train), v.Mean(corpus.Development), v.Mean(corpus.Test)}
			})
			if err := r.judge(c.Context(), &x, collection); err != nil {
				return err
			}
			return p.show(r, r.describe)
		},
	}
	x.add(p, c, "", "print the accuracy of the models as JSON", "workers", "seed")
	c.Flags().BoolVarP(&p.verbose, "verbose", "v", false, "print the accuracy of all models")
	c.Flags().StringVar(&save, "save", "", "write the sample mail to a new folder `DIR`, a Maildir, and do nothing else")
	return c
}

type demoReport struct {
	Corpus train.Summary      `json:"corpus"`
	Judged []demoJudged       `json:"judged"` // some messages of the test part
	Splits int                `json:"splits"`
	Models []demoModel        `json:"models"` // the best on development mail first
	last   filter.Explanation // of the last message judged
	config config.Config
}

// demoModel is the accuracy of one model over the splits.
type demoModel struct {
	Model       string        `json:"model"`
	Kind        string        `json:"features"`
	Train       evaluate.Mean `json:"train"`
	Development evaluate.Mean `json:"development"`
	Test        evaluate.Mean `json:"test"`
}

type demoJudged struct {
	From        string         `json:"from"`
	Subject     string         `json:"subject"`
	Verdict     filter.Verdict `json:"verdict"`
	Probability float64        `json:"probability"`
}

// judge trains a filter on the training part, and judges some messages of the test part.
func (r *demoReport) judge(ctx context.Context, x *onModel, collection *train.Collection) error {
	trained, err := train.Fit(ctx, collection, r.config.Model, x.trainOptions(""))
	if err != nil {
		return err
	}
	unseen := collection.Origins(corpus.Test)
	shown := min(6, len(unseen))
	for i := range shown {
		raw, err := sample.Message(unseen[i*len(unseen)/shown])
		if err != nil {
			return err
		}
		if r.last, err = trained.Filter.Explain(raw); err != nil {
			return err
		}
		m := r.last.View.Message
		r.Judged = append(r.Judged, demoJudged{evaluate.Sender(string(m.Get("From"))), string(m.Get("Subject")), r.last.Verdict, r.last.Probability})
	}
	return nil
}

// describe adds the verdicts, and the accuracy of models, the default with a star.
func (r demoReport) describe(a *answer) {
	if len(r.Judged) > 0 {
		a.line("Chaff learned %d invented messages (model %s) and judges %d others:\n", r.Corpus.Train, r.config.Model, len(r.Judged))
		t := a.table(defaultWidth, "verdict", "P(spam)", "from", "subject")
		for _, j := range r.Judged {
			t.Row(j.Verdict, fmt.Sprintf("%.3f", j.Probability), screen.Quoted(screen.Cut(screen.Printable(j.From), 22)), j.Subject)
		}
		t.Flush()
		a.line("\nThe strongest evidence for %s in the last:", r.last.For)
		up, _ := bySide(r.last)
		addContributions(a, up[:min(4, len(up))])
	}
	a.line("\nAccuracy of models that learned 60%% of the 300 messages, means over %d splits:\n", r.Splits)
	mean := func(m evaluate.Mean) string { return fmt.Sprintf("%.1f%% ± %.1f", m.Accuracy, m.Deviation) }
	t := a.table(0, "model", "training", "development", "test", "features")
	for _, m := range r.Models {
		name := m.Model
		if name == r.config.Model {
			name += " *"
		}
		t.Row(name, fmt.Sprintf("%.1f%%", m.Train.Accuracy), mean(m.Development), mean(m.Test), m.Kind)
	}
	t.Flush()
	a.line(`
* is the default of chaff train, ahead on more mail (docs/inside/results.md).
± is the standard deviation of a split: smaller differences are chance.

Your own mail is next. Chaff reads it and changes nothing in it:
  chaff train ~/Maildir
  chaff train inbox.mbox junk.mbox`)
}

// saveSample writes the sample mail to a folder as a Maildir. A folder that is there may hold nothing but this mail, as one does that an earlier
// command left behind on a full disk.
func saveSample(w io.Writer, dir string) error {
	folders := []string{".", "cur", "new", "tmp", ".Junk", ".Junk/cur", ".Junk/new", ".Junk/tmp"}
	mail := map[string][]byte{} // by path in the folder
	colon := ":"
	if runtime.GOOS == "windows" { // where what follows a colon names a part of a file
		colon = ";"
	}
	for item, err := range sample.Source() {
		if err != nil {
			return err
		}
		raw, err := sample.Message(item.Origin)
		if err != nil {
			return err
		}
		folder := "cur"
		if item.Label == sources.Spam {
			folder = ".Junk/cur"
		}
		hour := len(mail) * 97 % 300 // the sample has all ham first, which no mailbox has
		name := fmt.Sprintf("%d.%s%s2,S", 1700000000+3600*hour, strings.TrimSuffix(path.Base(item.Origin), ".eml"), colon)
		mail[path.Join(folder, name)] = raw
	}
	there := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		_, isMail := mail[name]
		if err == nil && !(e.IsDir() && slices.Contains(folders, name) || e.Type().IsRegular() && isMail) {
			err = errors.New(name + " is in it")
		}
		return err
	})
	if errors.Is(there, fs.ErrNotExist) {
		there = nil
	}
	for _, folder := range folders {
		err := there
		if err == nil {
			err = os.Mkdir(filepath.Join(dir, folder), 0o700)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return hint.With(fmt.Errorf("write the sample mail to %s: %w", dir, replace.Reason(err)), "name a folder that does not exist yet, in one that does")
		}
	}
	for name, raw := range mail {
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
			return fmt.Errorf("write the sample mail: %w", err)
		}
	}
	screen.Printf(w, "%d messages are in %s: chaff train --maildir %s\n", len(mail), screen.Printable(dir), screen.Printable(hint.Word(dir)))
	return nil
}

func lessonCommand(p *program) *cobra.Command {
	names := mapped(lesson.All(), func(l lesson.Lesson) string { return l.Name })
	var svg string
	c := &cobra.Command{
		Use:   "lesson [NAME]",
		Short: "Show a formula of the lectures at work, a screen each",
		Long: `Lesson shows what the lectures on linear classifiers say, computed by the
classifiers of this program: on a few points, or on the built-in sample mail.
Without a NAME it lists the lessons in the order of the lectures; --svg draws
the picture of a lesson that has one, such as the feasible region of AND.
docs/lectures.md has the lectures, and where each formula is in the code.`,
		Example: `  chaff lesson
  chaff lesson updates
  chaff lesson logic --svg and.svg`,
		Args:      oneArgument("lesson", 0),
		ValidArgs: names,
		RunE: func(c *cobra.Command, args []string) error {
			all := lesson.All()
			if len(args) == 0 && svg != "" {
				return errors.New("--svg needs a lesson: name it")
			}
			if len(args) == 0 {
				t := &screen.Table{To: p.stdout}
				for _, l := range all {
					t.Row(l.Name, l.Title)
				}
				t.Flush()
				return nil
			}
			i := slices.Index(names, args[0])
			if i < 0 {
				return hint.With(fmt.Errorf("there is no lesson %s: the lessons are %s", args[0], strings.Join(names, ", ")), "chaff lesson lists them with their titles")
			}
			if err := canWrite(nil, replace.Output{Path: svg, Kind: report.SVGKind()}); err != nil {
				return err
			}
			text, picture, err := all[i].Show(c.Context())
			if err != nil {
				return err
			}
			if svg != "" && picture == nil {
				return fmt.Errorf("the lesson %s has no picture", names[i])
			}
			if _, err := (screen.Lines{To: p.stdout}).Write([]byte(text)); err != nil || svg == "" {
				return err
			}
			return p.writeFile(svg, report.SVGKind(), func(w io.Writer) error {
				_, err := w.Write(picture.Plot().SVG())
				return err
			})
		},
	}
	c.Flags().StringVar(&svg, "svg", "", "draw the picture of the lesson into `FILE`")
	return c
}
