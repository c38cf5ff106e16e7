package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/evaluate"
	"chaff/internal/markdown"
	"chaff/metrics"
)

var errNoBogofilter = errors.New("bogofilter is not installed: apt-get install bogofilter")

// duel is the replay of the same mail in the same order to models and to bogofilter.
type duel []duelRow

type duelRow struct {
	name    string
	figures metrics.Figures
}

func (b *bench) measureBogofilter() (duel, error) {
	if _, err := exec.LookPath("bogofilter"); err != nil {
		return nil, errNoBogofilter
	}
	mail, err := b.inOrder()
	if err != nil {
		return nil, err
	}
	b.tell("  replaying it")
	replays, err := b.replay(mail, b.withDefault("arow", "multinomial"))
	if err != nil {
		return nil, err
	}
	var d duel
	for _, r := range replays {
		d = append(d, duelRow{r.Model, r.Figures})
	}
	source, err := b.spamAssassin()
	if err != nil {
		return nil, err
	}
	b.tell("  replaying it to bogofilter, which takes some minutes")
	answers, err := replayToBogofilter(b.ctx, inOrderOf(source, replays[0]))
	if err != nil {
		return nil, err
	}
	return append(d,
		duelRow{"bogofilter, spam above 0.5", figuresOf(answers, func(a answer) bool { return a.score > 0.5 })},
		duelRow{"bogofilter, its verdict", figuresOf(answers, func(a answer) bool { return a.spam })}), nil
}

// inOrderOf returns the messages of source in the order of a replay.
func inOrderOf(source corpus.Source, r evaluate.Replay) []corpus.Item {
	items := make(map[string]corpus.Item)
	for item, err := range source {
		if err == nil {
			items[item.Origin] = item
		}
	}
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
		a := answer{isSpam: item.Label == sources.Spam.String()}
		if a.spam, a.score, err = askBogofilter(ctx, dir, raw); err != nil {
			return nil, fmt.Errorf("%s: %w", item.Origin, err)
		}
		answers = append(answers, a)
		learn := "-n"
		if a.isSpam {
			learn = "-s"
		}
		if _, err := runBogofilter(ctx, dir, raw, learn); err != nil {
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

// runBogofilter runs bogofilter on a message with its default settings. The exit codes 0, 1 and 2 are spam, ham and unsure.
func runBogofilter(ctx context.Context, dir string, raw []byte, option string) (string, error) {
	command := exec.CommandContext(ctx, "bogofilter", "-C", "-d", dir, option)
	command.Stdin = bytes.NewReader(raw)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 2) && option == "-t" {
		err = nil
	}
	if err != nil {
		return "", fmt.Errorf("bogofilter %s: %w: %s", option, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.String(), nil
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
		f := r.figures
		rows = append(rows, fmt.Sprintf("%s | %.2f%% | %d | %s | %s | %s | %s", r.name, f.Accuracy, f.Messages-f.Confusion.Correct(),
			markdown.Decimals(f.HM, 2), markdown.Decimals(f.SM, 2), markdown.Decimals(f.LAM, 2), markdown.Decimals(f.OneMinusROCA, 4)))
	}
	return `SpamAssassin in the order of time: each message is classified and then learnt. bogofilter's own verdict is spam from its
score 0.99 on; unsure counts as ham:

` + table("filter | accuracy | errors | hm% | sm% | lam% | (1-ROCA)%", rows)
}
