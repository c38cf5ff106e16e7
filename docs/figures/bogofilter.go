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
	"chaff/docs/markdown"
	"chaff/evaluate"
	"chaff/filter"
	"chaff/metrics"
	"chaff/train"
)

var errNoBogofilter = errors.New("bogofilter is not installed: apt-get install bogofilter")

// duel compares the default model, multinomial naive Bayes and bogofilter on the same mail: by their verdicts, and by their scores with a
// boundary in the middle.
type duel struct {
	verdicts []duelVerdicts
	scores   []duelRow
}

type duelVerdicts struct {
	name    string
	grouped []shares // test parts of grouped splits
	replay  shares   // the last messages, each judged and then learned
}

type duelRow struct {
	name    string
	grouped mean
	replay  metrics.Figures
}

// bogofilterMiddle is the row of bogofilter with the boundary at 0.5.
const bogofilterMiddle = "bogofilter, spam above 0.5"

// pairTest measures chaff beside bogofilter on the same messages.
type pairTest struct{ *bench }

func (b pairTest) measureBogofilter() (d duel, err error) {
	if _, err := exec.LookPath("bogofilter"); err != nil {
		return d, errNoBogofilter
	}
	source, err := b.spamAssassin()
	if err != nil {
		return d, err
	}
	names := b.withDefault("multinomial")
	tests, err := b.groupedBesideBogofilter(source, names)
	if err != nil {
		return d, err
	}
	mail, err := b.inOrder()
	if err != nil {
		return d, err
	}
	b.tell("  replaying it")
	replays, err := b.replay(mail, names)
	if err != nil {
		return d, err
	}
	b.tell("  replaying it to bogofilter, which takes some minutes")
	answers, err := replayToBogofilter(b.ctx, inOrderOf(source, replays[0]))
	if err != nil {
		return d, err
	}
	d.verdicts = []duelVerdicts{
		{name: "chaff", replay: lastVerdicts(replays[0], labelsOf(mail.Members()))},
		{name: "bogofilter", replay: sharesOf(verdictsOfAnswers(answers[max(0, len(answers)-lastOnline):]))},
	}
	var figures [][]metrics.Figures
	for _, test := range tests {
		figures = append(figures, test.figures)
		for i, v := range test.verdicts {
			d.verdicts[i].grouped = append(d.verdicts[i].grouped, v)
		}
	}
	for i, r := range replays {
		d.scores = append(d.scores, duelRow{r.Model, meanOf(column(figures, i)), r.Figures})
	}
	d.scores = append(d.scores, duelRow{bogofilterMiddle, meanOf(column(figures, len(names))), figuresOfBogofilter(answers)})
	return d, nil
}

// duelTest is the result on one test part: verdicts of the default model and of bogofilter, figures of all models and of bogofilter.
type duelTest struct {
	verdicts [2]shares
	figures  []metrics.Figures
}

// groupedBesideBogofilter trains the models and bogofilter on the training parts of grouped splits.
func (b pairTest) groupedBesideBogofilter(source corpus.Source, names []string) ([]duelTest, error) {
	items := itemsByOrigin(source)
	mail, err := one(b.readSpamAssassin(corpus.SplitGrouped))
	if err != nil {
		return nil, err
	}
	b.tell("  training %s and bogofilter by %d seeds", strings.Join(names, ", "), seeds)
	return overSeeds(mail, seeds, func(divided *train.Collection, _ uint64) (t duelTest, err error) {
		results, err := fitEach(b.bench, divided, names, func(t train.Trained) (train.Result, error) { return t.Result, nil })
		if err != nil {
			return t, err
		}
		answers, err := trainBogofilter(b.ctx, items, divided.Origins(corpus.Train), divided.Origins(corpus.Test))
		if err != nil {
			return t, err
		}
		for _, r := range results {
			t.figures = append(t.figures, *r.Test)
		}
		t.figures = append(t.figures, figuresOfBogofilter(answers))
		t.verdicts = [2]shares{sharesOf(*results[0].Verdicts), sharesOf(verdictsOfAnswers(answers))}
		return t, nil
	})
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
		if a.verdict, a.score, err = askBogofilter(ctx, dir, raw); err != nil {
			return nil, fmt.Errorf("%s: %w", origin, err)
		}
		answers = append(answers, a)
	}
	return answers, nil
}

func isSpam(item corpus.Item) bool { return item.Label == sources.Spam }

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

// answer is the verdict of bogofilter and its score.
type answer struct {
	verdict filter.Verdict
	isSpam  bool // the truth
	score   float64
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
		if a.verdict, a.score, err = askBogofilter(ctx, dir, raw); err != nil {
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
func askBogofilter(ctx context.Context, dir string, raw []byte) (v filter.Verdict, score float64, err error) {
	if _, err := os.Stat(filepath.Join(dir, "wordlist.db")); errors.Is(err, os.ErrNotExist) {
		return filter.Unsure, unknownScore, nil
	}
	out, err := runBogofilter(ctx, dir, raw, "-t")
	if err != nil {
		return "", 0, err
	}
	var letter string
	if _, err := fmt.Sscan(out, &letter, &score); err != nil {
		return "", 0, fmt.Errorf("bogofilter answers %q: %w", out, err)
	}
	return bogofilterVerdicts()[letter], score, nil
}

// bogofilterVerdicts are the verdicts of bogofilter by its letters.
func bogofilterVerdicts() map[string]filter.Verdict {
	return map[string]filter.Verdict{"H": filter.Ham, "U": filter.Unsure, "S": filter.Spam}
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

// verdictsOfAnswers counts the verdicts.
func verdictsOfAnswers(answers []answer) (v metrics.VerdictCounts) {
	for _, a := range answers {
		evaluate.CountVerdict(&v, a.isSpam, a.verdict)
	}
	return v
}

// figuresOfBogofilter returns the figures with the boundary at the score 0.5.
func figuresOfBogofilter(answers []answer) metrics.Figures {
	class := map[bool]int32{true: 1}
	var labels, predictions []int32
	var scores []float64
	var spam []bool
	for _, a := range answers {
		labels, predictions = append(labels, class[a.isSpam]), append(predictions, class[a.score > 0.5])
		scores, spam = append(scores, a.score), append(spam, a.isSpam)
	}
	figures := metrics.Measure(labels, predictions, len(classes()))
	figures.MeasureSpam(metrics.NewMargins(scores, spam))
	return figures
}

func (d duel) text() string {
	var verdicts, scores []string
	for _, r := range d.verdicts {
		row := r.name
		for _, s := range []shares{meanShares(r.grouped), r.replay} {
			row += fmt.Sprintf(" | %.2f | %.2f | %.2f", s.lost, s.unsure, s.found)
		}
		verdicts = append(verdicts, row)
	}
	for _, r := range d.scores {
		g, f := r.grouped, r.replay
		scores = append(scores, fmt.Sprintf("%s | %s | %s | %s | %s | %d | %s | %s | %s", r.name,
			percent(g.accuracy), markdown.Decimals(g.hm, 2), markdown.Decimals(g.sm, 2), markdown.Decimals(g.roca, 4),
			f.Errors(), markdown.Decimals(f.HM, 2), markdown.Decimals(f.SM, 2), markdown.Decimals(f.OneMinusROCA, 4)))
	}
	return markdown.Table("verdicts | grouped split: ham lost, % | ham unsure, % | spam found, % | replay, last 3,000 messages: ham lost, % | ham unsure, % | spam found, %", verdicts) +
		"\n" + markdown.Table("score in the middle | grouped split: accuracy | ham lost, % | spam missed, % | (1-ROCA)% | replay: errors | ham lost, % | spam missed, % | (1-ROCA)%", scores)
}
