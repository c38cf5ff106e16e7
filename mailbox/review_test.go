package mailbox

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/filter"
	"chaff/store"
)

func (b *tree) review(view *store.View) Review {
	b.Helper()
	box, err := Open(b.dir)
	b.must(err)
	f, err := filter.OpenLearned(b.model)
	b.must(err)
	r, err := box.Review(b.Context(), f, view, ReviewOptions{Workers: 2})
	b.must(err)
	return r
}

func (b *tree) view() *store.View {
	b.Helper()
	v, err := store.Look(b.model)
	b.must(err)
	return v
}

// sampleTree is a tree of the sample mail without some messages of each class. It returns those that the filter gets right.
func sampleTree(t *testing.T) (b *tree, ham, spam []string) {
	t.Helper()
	var kept []corpus.Item
	rest := map[string][]string{}
	for item, err := range sample.Source() {
		if err != nil {
			t.Fatal(err)
		}
		if len(rest[item.Label]) == 10 {
			kept = append(kept, item)
			continue
		}
		raw, err := item.Read(nil)
		if err != nil {
			t.Fatal(err)
		}
		rest[item.Label] = append(rest[item.Label], string(raw))
	}
	b = treeOf(t, "sample", func(yield func(corpus.Item, error) bool) {
		for _, item := range kept {
			if !yield(item, nil) {
				return
			}
		}
	})
	f, err := filter.Open(b.model)
	b.must(err)
	for label, texts := range rest {
		rest[label] = slices.DeleteFunc(texts, func(text string) bool {
			v := f.Classify([]byte(text))
			return string(v.Verdict) != label || max(v.Probability, 1-v.Probability) < 0.9
		})
		slices.SortFunc(rest[label], func(a, c string) int { // the surest first
			order := cmp.Compare(f.Classify([]byte(c)).Score, f.Classify([]byte(a)).Score)
			if label == "ham" {
				return -order
			}
			return order
		})
		if len(rest[label]) < 3 {
			t.Fatalf("the filter gets %d %s right, and 3 are needed", len(rest[label]), label)
		}
	}
	return b, rest["ham"], rest["spam"]
}

// names returns the names of the messages, without their flags.
func names(of []Reviewed) []string {
	var all []string
	for _, m := range of {
		name, _, _ := strings.Cut(filepath.Base(m.Path), ":")
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func TestAReviewDoubtsNoLabelThatWasCorrected(t *testing.T) {
	b, _, spam := sampleTree(t)
	b.write("cur/1.wrong:2,S", spam[0])
	b.learn()
	if got := names(b.review(b.view()).Doubtful()); !slices.Contains(got, "1.wrong") {
		t.Fatalf("it doubts %v, want 1.wrong", got)
	}
	s := b.open()
	_, err := s.Learn(store.Message{Raw: []byte(spam[0]), Label: "spam", Way: store.ByHand})
	b.must(errors.Join(err, s.Close()))
	if got := names(b.review(b.view()).Doubtful()); slices.Contains(got, "1.wrong") {
		t.Errorf("it doubts %v", got)
	}
}

func TestAReviewFindsLabelsToDoubt(t *testing.T) {
	b, ham, spam := sampleTree(t)
	b.write("cur/1.wrong:2,S", spam[0])
	b.write(".Junk/cur/1.right:2,S", spam[1])
	b.learn()
	b.write(".Junk/cur/1.new:2,S", ham[0])
	b.write("new/1.unread", spam[2])
	b.write("cur/1.also:2,", ham[1])
	r := b.review(b.view())
	if r.Messages != 285 || r.Learned != 282 || r.Folds != 5 {
		t.Errorf("%d messages of which %d are learned, %d folds", r.Messages, r.Learned, r.Folds)
	}
	doubtful := r.Doubtful()
	if got := names(doubtful); !slices.Contains(got, "1.wrong") || !slices.Contains(got, "1.new") || slices.Contains(got, "1.right") || slices.Contains(got, "1.unread") {
		t.Errorf("it doubts %v", got)
	}
	for i, m := range doubtful {
		if i > 0 && doubtful[i-1].labelProbability() > m.labelProbability() {
			t.Errorf("%s is out of order", m.Path)
		}
		switch filepath.Base(m.Path) {
		case "1.wrong:2,S":
			if m.Subject == "" || m.Folder != "INBOX" || m.Label != "ham" || m.Verdict != filter.Spam || !m.Learned {
				t.Errorf("got %+v", m)
			}
		case "1.new:2,S":
			if m.Label != "spam" || m.Verdict != filter.Ham || m.Learned || m.Now != m.Verdict {
				t.Errorf("got %+v", m)
			}
		}
	}
	if !slices.Contains(names(r.Differing), "1.unread") || slices.Contains(names(r.Differing), "1.also") {
		t.Errorf("of unseen mail, the spam should be among %v", names(r.Differing))
	}
	total := 0
	var folders []string
	for _, f := range r.Folders {
		total += f.ByVerdict.Messages()
		folders = append(folders, f.Folder+" "+f.Label)
	}
	if want := []string{"INBOX ham", "INBOX ", ".Junk spam"}; !slices.Equal(folders, want) || total != r.Messages {
		t.Errorf("the folders %q have %d messages, want %d in %q", folders, total, r.Messages, want)
	}
}

// TestAReviewJudgesWithoutTheMessage learns a spam with many words of its own as ham, so that the filter believes it.
func TestAReviewJudgesWithoutTheMessage(t *testing.T) {
	b, _, spam := sampleTree(t)
	text := strings.TrimSpace(spam[len(spam)-1]) + strings.Repeat(" uniquea uniqueb uniquec uniqued uniquee uniquef uniqueg", 100) + "\n"
	b.write("cur/1.a:2,S", text)
	b.learn()
	f, err := filter.OpenLearned(b.model)
	b.must(err)
	if v := f.Classify([]byte(text)); v.Verdict != filter.Ham {
		t.Fatalf("the filter that has learned it says %v: the test shows nothing", v.Verdict)
	}
	i := slices.IndexFunc(b.review(b.view()).Differing, func(m Reviewed) bool {
		return filepath.Base(m.Path) == "1.a:2,S" && m.Now == filter.Ham && m.Verdict != filter.Ham
	})
	if i < 0 {
		t.Error("the review does not find it")
	}
}

func TestAReviewWithoutAStoreLearnsFromTheMailbox(t *testing.T) {
	b, _, spam := sampleTree(t)
	b.write("cur/1.wrong:2,S", spam[0])
	b.must(os.Remove(b.model + store.Suffix))
	r := b.review(nil)
	if r.Folds != 5 || r.Learned != 281 || !slices.Contains(names(r.Doubtful()), "1.wrong") {
		t.Errorf("%d folds, %d learned, it doubts %v", r.Folds, r.Learned, names(r.Doubtful()))
	}
	// With mail of one class nothing can be fitted.
	b.must(os.RemoveAll(filepath.Join(b.dir, ".Junk")))
	if r := b.review(nil); r.Folds != 0 || r.Messages != 166 {
		t.Errorf("%d folds, %d messages", r.Folds, r.Messages)
	}
	b.must(os.RemoveAll(filepath.Join(b.dir, "cur")))
	if r := b.review(nil); r.Folds != 0 || r.Messages != 0 || len(r.Differing) != 0 {
		t.Errorf("an empty mailbox: got %+v", r)
	}
}

func TestAReviewNamesWhatItCannotRead(t *testing.T) {
	b := newTree(t)
	b.must(os.Symlink("nowhere", filepath.Join(b.dir, ".Junk/cur/1.a:2,S")))
	r := b.review(b.view())
	if len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "1.a:2,S") || r.Messages != 80 {
		t.Errorf("%d messages, problems %q", r.Messages, r.Problems)
	}
}

func TestAReviewNeedsASpamFilter(t *testing.T) {
	b := newTree(t)
	f, err := filter.Open(b.model)
	b.must(err)
	s := f.Settings()
	s.Classes, s.Thresholds = []string{"private", "work"}, nil
	info, err := f.Provenance()
	b.must(err)
	other, err := filter.New(filter.Parts{Settings: s, Vocabulary: f.Vocabulary(), Linear: f.Linear(), Provenance: info})
	b.must(err)
	box, err := Open(b.dir)
	b.must(err)
	if _, err := box.Review(t.Context(), other, nil, ReviewOptions{}); !errors.Is(err, ErrClasses) {
		t.Errorf("got the error %v, want %v", err, ErrClasses)
	}
}
