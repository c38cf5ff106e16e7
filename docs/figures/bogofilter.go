package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/evaluate"
	"chaff/internal/markdown"
	"chaff/metrics"
	"chaff/train"
)

var errNoBogofilter = errors.New("bogofilter is not installed: apt-get install bogofilter")

// duel compares the default model, multinomial naive Bayes and bogofilter on the same mail.
type duel []duelRow

type duelRow struct {
	name    string
	grouped mean            // test parts of grouped splits
	replay  metrics.Figures // each message classified, then learned
}

// The rows of bogofilter: the boundary at 0.5, and the verdict it gives by default.
const (
	bogofilterMiddle  = "bogofilter, spam above 0.5"
	bogofilterVerdict = "bogofilter, its verdict"
)

func (b *bench) measureBogofilter() (duel, error) {
	if _, err := exec.LookPath("bogofilter"); err != nil {
		return nil, errNoBogofilter
	}
	source, err := b.spamAssassin()
	if err != nil {
		return nil, err
	}
	names := b.withDefault("multinomial")
	grouped, err := b.groupedBesideBogofilter(source, names)
	if err != nil {
		return nil, err
	}
	mail, err := b.inOrder()
	if err != nil {
		return nil, err
	}
	b.tell("  replaying it")
	replays, err := b.replay(mail, names)
	if err != nil {
		return nil, err
	}
	b.tell("  replaying it to bogofilter, which takes some minutes")
	answers, err := replayToBogofilter(b.ctx, inOrderOf(source, replays[0]))
	if err != nil {
		return nil, err
	}
	var d duel
	for i, r := range replays {
		d = append(d, duelRow{r.Model, grouped[i], r.Figures})
	}
	middle, verdict := figuresOfBogofilter(answers)
	return append(d, duelRow{bogofilterMiddle, grouped[len(names)], middle}, duelRow{bogofilterVerdict, grouped[len(names)+1], verdict}), nil
}

// groupedBesideBogofilter trains the models and bogofilter on the training parts of grouped splits, and returns the means of
// the test figures: those of the models, of bogofilter at 0.5, and of the verdict of bogofilter.
func (b *bench) groupedBesideBogofilter(source corpus.Source, names []string) ([]mean, error) {
	items := itemsByOrigin(source)
	mail, err := one(b.readSpamAssassin(corpus.SplitGrouped))
	if err != nil {
		return nil, err
	}
	b.tell("  training %s and bogofilter by %d seeds", strings.Join(names, ", "), seeds)
	tests, err := overSeeds(mail, seeds, func(divided *train.Collection, _ uint64) ([]metrics.Figures, error) {
		figures, err := b.testEach(divided, names)
		if err != nil {
			return nil, err
		}
		answers, err := trainBogofilter(b.ctx, items, divided.Origins(corpus.Train), divided.Origins(corpus.Test))
		if err != nil {
			return nil, err
		}
		middle, verdict := figuresOfBogofilter(answers)
		return append(figures, middle, verdict), nil
	})
	if err != nil {
		return nil, err
	}
	var means []mean
	for i := range tests[0] {
		means = append(means, meanOf(column(tests, i)))
	}
	return means, nil
}

func itemsByOrigin(source corpus.Source) map[string]corpus.Item {
	items := make(map[string]corpus.Item)
	for item, err := range source {
		if err == nil {
			items[item.Origin] = item
		}
	}
	return items
}

// trainBogofilter trains a new bogofilter on messages that are files, and returns its answers to others.
func trainBogofilter(ctx context.Context, items map[string]corpus.Item, training, test []string) ([]answer, error) {
	dir, err := os.MkdirTemp("", "bogofilter")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	paths := make(map[string][]byte) // by option
	for _, origin := range training {
		option := learnOption(items[origin])
		paths[option] = append(append(paths[option], origin...), '\n')
	}
	for option, list := range paths {
		if _, err := runBogofilter(ctx, dir, list, option, "-b"); err != nil {
			return nil, err
		}
	}
	var answers []answer
	var raw []byte
	for _, origin := range test {
		if raw, err = items[origin].Read(raw); err != nil {
			return nil, err
		}
		a := answer{isSpam: isSpam(items[origin])}
		if a.spam, a.score, err = askBogofilter(ctx, dir, raw); err != nil {
			return nil, fmt.Errorf("%s: %w", origin, err)
		}
		answers = append(answers, a)
	}
	return answers, nil
}

func isSpam(item corpus.Item) bool { return item.Label == sources.Spam.String() }

// learnOption is the option with which bogofilter learns a message.
func learnOption(item corpus.Item) string {
	if isSpam(item) {
		return "-s"
	}
	return "-n"
}

// inOrderOf returns the messages of source in the order of a replay.
func inOrderOf(source corpus.Source, r evaluate.Replay) []corpus.Item {
	items := itemsByOrigin(source)
	var ordered []corpus.Item
	for _, m := range r.Messages {
		ordered = append(ordered, items[m.Path])
	}
	return ordered
}

// answer is the verdict of bogofilter, where unsure is not spam, and its score.
type answer struct {
	spam, isSpam bool // the second is the truth
	score        float64
}

// replayToBogofilter classifies each message with a bogofilter without training, then trains it with the message.
func replayToBogofilter(ctx context.Context, items []corpus.Item) ([]answer, error) {
	dir, err := os.MkdirTemp("", "bogofilter")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var answers []answer
	var raw []byte
	for _, item := range items {
		if raw, err = item.Read(raw); err != nil {
			return nil, err
		}
		a := answer{isSpam: isSpam(item)}
		if a.spam, a.score, err = askBogofilter(ctx, dir, raw); err != nil {
			return nil, fmt.Errorf("%s: %w", item.Origin, err)
		}
		answers = append(answers, a)
		if _, err := runBogofilter(ctx, dir, raw, learnOption(item)); err != nil {
			return nil, fmt.Errorf("%s: %w", item.Origin, err)
		}
	}
	return answers, nil
}

// unknownScore is the score of bogofilter before training, its setting robx.
const unknownScore = 0.52

// askBogofilter returns the verdict and the score of bogofilter. It needs one message of training.
func askBogofilter(ctx context.Context, dir string, raw []byte) (spam bool, score float64, err error) {
	if _, err := os.Stat(filepath.Join(dir, "wordlist.db")); errors.Is(err, os.ErrNotExist) {
		return false, unknownScore, nil
	}
	out, err := runBogofilter(ctx, dir, raw, "-t")
	if err != nil {
		return false, 0, err
	}
	var verdict string
	if _, err := fmt.Sscan(out, &verdict, &score); err != nil {
		return false, 0, fmt.Errorf("bogofilter answers %q: %w", out, err)
	}
	return verdict == "S", score, nil
}

// runBogofilter runs bogofilter with its default settings. Its exit codes 0, 1 and 2 are spam, ham and unsure.
func runBogofilter(ctx context.Context, dir string, raw []byte, options ...string) (string, error) {
	command := exec.CommandContext(ctx, "bogofilter", append([]string{"-C", "-d", dir}, options...)...)
	command.Stdin = bytes.NewReader(raw)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 2) && (slices.Contains(options, "-t") || slices.Contains(options, "-T")) {
		err = nil
	}
	if err != nil {
		return "", fmt.Errorf("bogofilter %s: %w: %s", strings.Join(options, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.String(), nil
}

// figuresOfBogofilter returns the figures with the boundary at the score 0.5, and those of the verdicts.
func figuresOfBogofilter(answers []answer) (middle, verdict metrics.Figures) {
	return figuresOf(answers, func(a answer) bool { return a.score > 0.5 }), figuresOf(answers, func(a answer) bool { return a.spam })
}

func figuresOf(answers []answer, isSpam func(answer) bool) metrics.Figures {
	class := map[bool]int32{true: 1}
	var labels, predictions []int32
	var scores []float64
	var spam []bool
	for _, a := range answers {
		labels, predictions = append(labels, class[a.isSpam]), append(predictions, class[isSpam(a)])
		scores, spam = append(scores, a.score), append(spam, a.isSpam)
	}
	figures := metrics.Measure(labels, predictions, len(classes()))
	figures.MeasureSpam(scores, spam)
	return figures
}

func (d duel) text() string {
	var rows []string
	for _, r := range d {
		g, f := r.grouped, r.replay
		rows = append(rows, fmt.Sprintf("%s | %s | %s | %s | %s | %d | %s | %s | %s", r.name,
			percent(g.accuracy), markdown.Decimals(g.hm, 2), markdown.Decimals(g.sm, 2), markdown.Decimals(g.roca, 4),
			f.Messages-f.Confusion.Correct(), markdown.Decimals(f.HM, 2), markdown.Decimals(f.SM, 2), markdown.Decimals(f.OneMinusROCA, 4)))
	}
	return markdown.Table("filter | grouped split: accuracy | ham lost, % | spam missed, % | (1-ROCA)% | replay: errors | ham lost, % | spam missed, % | (1-ROCA)%", rows)
}
