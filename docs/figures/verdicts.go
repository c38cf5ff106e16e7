package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/docs/markdown"
	"chaff/evaluate"
	"chaff/filter"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/train"
)

const (
	mostJudged = 2500  // other messages that a mailbox is judged on
	largestBox = 10000 // a size for the default model alone
	fewForAll  = 1000  // messages, from which on the other models are measured
	manyDraws  = 24    // mailboxes of a size, for standard errors of the default model
	lastOnline = 3000  // messages at the end of a replay
	boxStream  = 2     // of random numbers, for wrong labels
)

func boxSizes() []int { return []int{150, 300, 1000, 3000, largestBox} }

// mislabelling is a way in which labels are wrong.
type mislabelling struct {
	name      string
	share     float64 // of the messages with the labels that are inverted
	ham, spam bool    // the labels that are inverted
	// A folder is misfiled: neighbours in the corpus, this share of all messages.
	folder bool
	rare   bool // there is one message of the class few for 20 others
	few    int
}

// unequal are mailboxes with right labels and few messages of a class.
func unequal() []mislabelling {
	return []mislabelling{{name: "one spam for 20 ham", rare: true, few: filter.SpamClass}, {name: "one ham for 20 spam", rare: true}}
}

func mislabellings() []mislabelling {
	return []mislabelling{
		{name: "right labels"},
		{name: "1% wrong", share: 0.01, ham: true, spam: true},
		{name: "3% wrong", share: 0.03, ham: true, spam: true},
		{name: "3% of the ham called spam", share: 0.03, ham: true},
		{name: "3% of the spam called ham", share: 0.03, spam: true},
		{name: "a folder of ham, 3% of the mail, called spam", share: 0.03, ham: true, folder: true},
		{name: "a folder of spam, 3% of the mail, called ham", share: 0.03, spam: true, folder: true},
	}
}

// of returns the members with wrong labels, or without most of the class of which there are few.
func (m mislabelling) of(members []train.Member, random *rand.Rand) []train.Member {
	wrong := slices.Clone(members)
	if m.rare {
		left := 0
		for _, member := range members {
			if member.Label != m.few {
				left++
			}
		}
		left = max(1, left/20)
		return slices.DeleteFunc(wrong, func(member train.Member) bool {
			if member.Label == m.few {
				left--
			}
			return member.Label == m.few && left < 0
		})
	}
	var eligible []int
	for i, member := range members {
		if member.Label == filter.SpamClass && m.spam || member.Label != filter.SpamClass && m.ham {
			eligible = append(eligible, i)
		}
	}
	n := int(math.Round(m.share * float64(len(eligible))))
	if m.folder {
		n = min(int(math.Round(m.share*float64(len(members)))), len(eligible))
		slices.SortFunc(eligible, func(i, j int) int { return strings.Compare(members[i].Origin, members[j].Origin) })
		eligible = eligible[random.IntN(len(eligible)-n+1):]
	} else {
		random.Shuffle(len(eligible), func(i, j int) { eligible[i], eligible[j] = eligible[j], eligible[i] })
	}
	for _, i := range eligible[:n] {
		wrong[i].Label = 1 - wrong[i].Label
	}
	return wrong
}

// A judge makes verdicts: a model of chaff, or bogofilter if there is no model.
type judge struct {
	model string
	wrong mislabelling
}

func (j judge) String() string {
	if j.model == "" {
		return "bogofilter, " + j.wrong.name
	}
	return j.model + ", " + j.wrong.name
}

// mailboxTest measures the verdicts on small mailboxes that are drawn from the corpora.
type mailboxTest struct{ *bench }

// judges are the rows of the table. The default model has all ways of wrong labels, bogofilter the first three, and each other model that
// can tell ham from spam the first and the third.
func (b mailboxTest) judges() []judge {
	ways := mislabellings()
	var all []judge
	for _, wrong := range ways {
		all = append(all, judge{b.settings.Model, wrong})
	}
	for _, wrong := range ways[:3] {
		all = append(all, judge{"", wrong})
	}
	for _, model := range []string{"multinomial", "bernoulli", "softmax", "perceptron", "averaged-perceptron", "multiclass-perceptron", "passive-aggressive", "lms", "tanh"} {
		if model != b.settings.Model {
			all = append(all, judge{model, ways[0]}, judge{model, ways[2]})
		}
	}
	return all
}

// measures reports whether a row has a figure for mailboxes of a size.
func (b mailboxTest) measures(j judge, size int) bool {
	switch {
	case j.wrong.rare: // of few messages too few are left
		return size >= fewForAll
	case j.model == b.settings.Model:
		return size < largestBox || j.wrong.ham == j.wrong.spam
	case j.model == "":
		return size < largestBox
	}
	return size >= fewForAll && size < largestBox
}

// shares are verdicts in percent: of the ham that is lost and unsure, of the spam that is found and missed.
type shares struct{ lost, unsure, found, missed float64 }

// verdicts has a table for each corpus.
type verdicts []verdictTable

type verdictTable struct {
	corpus string
	sizes  []int
	rows   []verdictRow
	online []verdictRow // of the last messages of replays
}

type verdictRow struct {
	name  string
	cells [][]shares // sizes x draws; of replays one x draws
}

func (b mailboxTest) measureVerdicts() (verdicts, error) {
	mail, err := b.bothCorpora()
	if err != nil {
		return nil, err
	}
	return b.verdictsOf(corporaNames(), mail)
}

func corporaNames() []string { return []string{"SpamAssassin", "Enron-Spam"} }

func (b mailboxTest) bothCorpora() ([]corpus.Source, error) {
	sa, err := b.spamAssassin()
	if err != nil {
		return nil, err
	}
	var enron []corpus.Source
	for n := 1; n <= sets; n++ {
		source, err := b.enron(n)
		if err != nil {
			return nil, err
		}
		enron = append(enron, source)
	}
	return []corpus.Source{sa, corpus.Concat(enron...)}, nil
}

// mailboxes are the verdicts of the default model on many mailboxes of each size.
type mailboxes []verdictTable

func (b mailboxTest) measureMailboxes() (mailboxes, error) {
	mail, err := b.bothCorpora()
	if err != nil {
		return nil, err
	}
	var judges []judge
	for _, wrong := range append(mislabellings(), unequal()...) {
		judges = append(judges, judge{b.settings.Model, wrong})
	}
	var m mailboxes
	for i, name := range corporaNames() {
		t, err := b.verdictsOn(name, mail[i], judges, manyDraws)
		if err != nil {
			return nil, err
		}
		m = append(m, t)
	}
	return m, nil
}

func (m mailboxes) text() string {
	text := fmt.Sprintf("Ham lost %% ± standard error / spam found %% ± standard error, spam called ham %%; means of %d random mailboxes:\n", manyDraws)
	for _, t := range m {
		text += "\n" + markdown.Table(t.header(), rowsOf(t.rows, sharesWithErrors))
	}
	return text
}

func sharesWithErrors(all []shares) string {
	lost, found := make([]float64, len(all)), make([]float64, len(all))
	for i, s := range all {
		lost[i], found[i] = s.lost, s.found
	}
	mean, n := meanShares(all), math.Sqrt(float64(len(all)))
	return fmt.Sprintf("%.2f ± %.2f / %.1f ± %.1f, %.1f", mean.lost, stat.StdDev(lost, nil)/n, mean.found, stat.StdDev(found, nil)/n, mean.missed)
}

// verdictsOfIndexes measures verdicts on the mail of indexes of the TREC spam track.
func (b mailboxTest) verdictsOfIndexes(indexes []string) (verdicts, error) {
	var mail []corpus.Source
	for _, index := range indexes {
		opened, err := sources.OpenLabelled(index, sources.Options{Format: sources.Index})
		if err != nil {
			return nil, err
		}
		mail = append(mail, opened.Source)
	}
	return b.verdictsOf(indexes, mail)
}

func (b mailboxTest) verdictsOf(names []string, mail []corpus.Source) (v verdicts, err error) {
	for i, name := range names {
		t, err := b.verdictsOn(name, mail[i], b.judges(), boxDraws)
		if err == nil {
			t.online, err = b.verdictsOnline(mail[i])
		}
		if err != nil {
			return nil, err
		}
		v = append(v, t)
	}
	return v, nil
}

// verdictsOn draws mailboxes of each size from a corpus, trains the judges on them, and counts verdicts on other messages.
func (b mailboxTest) verdictsOn(name string, source corpus.Source, judges []judge, draws int) (verdictTable, error) {
	t := verdictTable{corpus: name}
	b.tell("%s: reading", name)
	mail, err := b.collect(source, b.settings.Split.Method)
	if err != nil {
		return t, err
	}
	members := mail.Members()
	items := itemsByOrigin(source)
	for _, size := range boxSizes() {
		if size < len(members)*2/3 { // so that a third is judged
			t.sizes = append(t.sizes, size)
		}
	}
	t.rows = make([]verdictRow, len(judges))
	for r, j := range judges {
		t.rows[r] = verdictRow{j.String(), make([][]shares, len(t.sizes))}
	}
	for s, size := range t.sizes {
		b.tell("  %d mailboxes of %d messages", draws, size)
		for draw := range uint64(draws) {
			box, err := b.draw(members, items, first(size), draw+1)
			if err != nil {
				return t, err
			}
			found, err := inParallel(len(judges), func(r int) ([]shares, error) {
				if !b.measures(judges[r], size) {
					return nil, nil
				}
				one, err := b.judgeBy(judges[r], box)
				return []shares{one}, err
			})
			if err != nil {
				return t, err
			}
			for r := range judges {
				t.rows[r].cells[s] = append(t.rows[r].cells[s], found[r]...)
			}
		}
	}
	return t, nil
}

// drawnBox is a random mailbox, divided as chaff train divides it, and other messages to judge.
type drawnBox struct {
	mail        *train.Collection
	box, others []train.Member
	seed        uint64
}

// draw draws a mailbox: of all members in a random order those that it takes, and others to judge.
func (b mailboxTest) draw(members []train.Member, items map[string]corpus.Item, takes func(label int) bool, seed uint64) (drawnBox, error) {
	members = slices.Clone(members)
	shuffle(members, seed)
	in, others := make(map[string]bool), 0
	members = slices.DeleteFunc(members, func(m train.Member) bool {
		if takes(m.Label) {
			in[m.Origin] = true
			return false
		}
		others++
		return others > mostJudged
	})
	o := *b.bench
	o.settings.Seed = seed
	mail, err := o.collect(itemsOf(members, items), b.settings.Split.Method)
	if err != nil {
		return drawnBox{}, err
	}
	d := drawnBox{mail: mail, seed: seed}
	for _, m := range mail.Members() {
		if in[m.Origin] {
			d.box = append(d.box, m)
		} else {
			d.others = append(d.others, m)
		}
	}
	return d, nil
}

// first takes so many messages.
func first(size int) func(label int) bool {
	return func(int) bool {
		size--
		return size >= 0
	}
}

func itemsOf(members []train.Member, items map[string]corpus.Item) corpus.Source {
	return func(yield func(corpus.Item, error) bool) {
		for _, m := range members {
			if !yield(items[m.Origin], nil) {
				return
			}
		}
	}
}

// judgeBy trains a judge on a mailbox, as a user does, and counts its verdicts on the other messages.
func (b mailboxTest) judgeBy(j judge, d drawnBox) (shares, error) {
	box := j.wrong.of(d.box, rand.New(rand.NewPCG(d.seed, boxStream)))
	if j.model == "" {
		return b.judgeByBogofilter(box, d.others)
	}
	drawn, err := d.mail.Select(box)
	if err != nil {
		return shares{}, err
	}
	trained, err := train.Fit(b.ctx, drawn, j.model, b.trainOptions())
	if err != nil {
		return shares{}, err
	}
	f, _, err := drawn.Refit(b.ctx, trained, b.trainOptions())
	if err != nil {
		return shares{}, err
	}
	return d.judgeWith(f)
}

// judgeWith counts the verdicts of a filter on the other messages.
func (d drawnBox) judgeWith(f *filter.Filter) (shares, error) {
	judged, err := d.mail.Mail.Select(d.others)
	if err != nil {
		return shares{}, err
	}
	dataset := judged.DatasetFor(f, 1)
	return sharesOf(*train.Score(f.Linear(), dataset).Margins().Verdicts(*f.Settings().Thresholds)), dataset.Err()
}

func sharesOf(v metrics.VerdictCounts) shares {
	percent := func(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }
	ham, spam := v.Ham.Messages(), v.Spam.Messages()
	return shares{percent(v.Ham.Spam, ham), percent(v.Ham.Unsure, ham), percent(v.Spam.Spam, spam), percent(v.Spam.Ham, spam)}
}

// judgeByBogofilter is judgeBy for bogofilter as it is shipped.
func (b mailboxTest) judgeByBogofilter(box, others []train.Member) (shares, error) {
	dir, err := os.MkdirTemp("", "bogofilter")
	if err != nil {
		return shares{}, err
	}
	defer os.RemoveAll(dir)
	for label, option := range []string{"-n", "-s"} {
		if _, err := runBogofilter(b.ctx, dir, paths(box, label), option, "-b"); err != nil {
			return shares{}, err
		}
	}
	var v metrics.VerdictCounts
	for label := range classes() {
		list := paths(others, label)
		out, err := runBogofilter(b.ctx, dir, list, "-T", "-b")
		if err != nil {
			return shares{}, err
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if want := strings.Count(string(list), "\n"); len(lines) != want {
			return shares{}, fmt.Errorf("bogofilter judges %d of %d messages", len(lines), want)
		}
		for _, line := range lines {
			fields := strings.Fields(line) // path, letter, score
			evaluate.CountVerdict(&v, label == filter.SpamClass, bogofilterVerdicts()[fields[max(0, len(fields)-2)]])
		}
	}
	return sharesOf(v), nil
}

// paths lists the files of the members with a label.
func paths(members []train.Member, label int) []byte {
	var list []byte
	for _, m := range members {
		if m.Label == label {
			list = append(append(list, m.Origin...), '\n')
		}
	}
	return list
}

// verdictsOnline replays mail to the default model with wrong labels among its corrections, and counts the last verdicts by the right labels.
func (b mailboxTest) verdictsOnline(source corpus.Source) ([]verdictRow, error) {
	mail, err := b.collectInOrder(source)
	if err != nil {
		return nil, err
	}
	members := mail.Members()
	labels := labelsOf(members)
	dated := 0
	for _, m := range members {
		if !mail.Entry(m.Index).Time.IsZero() {
			dated++
		}
	}
	if 2*dated < len(members) { // the order of the files says nothing
		shuffle(members, 1)
	}
	b.tell("  replaying it")
	var rows []verdictRow
	for _, wrong := range mislabellings()[:3] {
		drawn, err := inParallel(boxDraws, func(draw int) (shares, error) {
			noisy, err := mail.Select(wrong.of(members, rand.New(rand.NewPCG(uint64(draw+1), boxStream))))
			if err != nil {
				return shares{}, err
			}
			r, err := evaluate.ReplayTo(b.ctx, b.settings.Model, noisy, b.replayOptions())
			if err != nil {
				return shares{}, err
			}
			return lastVerdicts(r, labels), nil
		})
		if err != nil {
			return nil, err
		}
		rows = append(rows, verdictRow{b.settings.Model + ", " + wrong.name, [][]shares{drawn}})
	}
	return rows, nil
}

// labelsOf returns the labels by origin.
func labelsOf(members []train.Member) map[string]int {
	labels := make(map[string]int, len(members))
	for _, m := range members {
		labels[m.Origin] = m.Label
	}
	return labels
}

// lastVerdicts counts the verdicts on the last messages of a replay.
func lastVerdicts(r evaluate.Replay, labels map[string]int) shares {
	var v metrics.VerdictCounts
	for _, m := range r.Messages[max(0, len(r.Messages)-lastOnline):] {
		evaluate.CountVerdict(&v, labels[m.Path] == filter.SpamClass, m.Verdict)
	}
	return sharesOf(v)
}

func (v verdicts) text() string {
	text := fmt.Sprintf("Ham lost %% / ham unsure %% / spam found %%, means of %d random mailboxes, on up to %s other messages:\n", boxDraws, screen.Grouped(mostJudged))
	for _, t := range v {
		text += "\n" + markdown.Table(t.header(), rowsOf(t.rows, meanText))
		text += "\n" + markdown.Table(fmt.Sprintf("%s, replay | last %s messages", t.corpus, screen.Grouped(lastOnline)), rowsOf(t.online, meanText))
	}
	return text
}

func (t verdictTable) header() string {
	header := t.corpus
	for _, size := range t.sizes {
		header += " | " + screen.Grouped(size) + " messages"
	}
	return header
}

// rowsOf writes the rows of a table, each cell by its draws.
func rowsOf(all []verdictRow, text func([]shares) string) []string {
	var rows []string
	for _, r := range all {
		row := r.name
		for _, cell := range r.cells {
			if len(cell) == 0 {
				row += " | -"
				continue
			}
			row += " | " + text(cell)
		}
		rows = append(rows, row)
	}
	return rows
}

func meanText(all []shares) string {
	s := meanShares(all)
	return fmt.Sprintf("%.2f / %.1f / %.1f", s.lost, s.unsure, s.found)
}

// meanShares returns the means.
func meanShares(all []shares) (mean shares) {
	n := float64(len(all))
	for _, s := range all {
		mean.lost, mean.unsure, mean.found, mean.missed = mean.lost+s.lost/n, mean.unsure+s.unsure/n, mean.found+s.found/n, mean.missed+s.missed/n
	}
	return mean
}
