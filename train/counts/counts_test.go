package counts_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/features"
	"chaff/filter"
	"chaff/message"
	"chaff/train"
	"chaff/train/counts"
)

// bogofilter is a word list of 4 ham and 5 spam.
const bogofilter = `.ENCODING 2 0 20260101
.MSG_COUNT 5 4 20260101
.WORDLIST_VERSION 20040500 0 20260101
Offer 2 0 20260101
offers 1 1 20260101
subj:offer 3 0 20260101
subj:Free! 2 0
from:shop.example.com 1 0 20260101
from:Marta 0 2 20260101
head:X-Mailer 4 3 20260101
head:Outlook 4 0 20260101
head:utf-8 1 4 20260101
mime:base64 2 0 20260101
mime:attachment 2 1 20260101
rcvd:192.0.2.7 1 0 20260101
www.example.com 1 1 20260101
to-do 0 3 20260101
gone 0 0 20260101
many 9 9 20260101
negative -3 1 20260101
`

// spamAssassin is a database of version 2, which has words, of 4 ham and 5 spam.
const spamAssassin = "v\t2\tdb_version # this must be the first line!!!\nv\t5\tnum_spam\nv\t4\tnum_nonspam\n" +
	"t\t3\t0\t1700000000\toffer\nt\t2\t0\t1700000000\tOffer\nt\t1\t0\t1700000000\tOffer!\nt\t1\t2\t1700000000\tUD:www.example.com\n" +
	"t\t1\t0\t1700000000\tI*:hidden\nt\t0\t2\t1700000000\tH*F:N*Marta\nt\t0\t2\t1700000000\tH*F:D*example.org\nt\t0\t2\t1700000000\tH*F:U*marta\n" +
	"t\t1\t1\t1700000000\tH*x:Letter\nt\t1\t0\t1700000000\tHX-Campaign:spring\nt\t1\t1\t1700000000\tH*ct:utf-8\nt\t1\t1\t1700000000\tH*r:192.0.2\n" +
	"t\t1\t1\t1700000000\tMIME:da39a3ee\nt\t1\t1\t1700000000\tsk:unbelie\nt\t1\t1\t1700000000\tH*Ad:N*Marta\n" +
	"s\ts\t0123456789@sa_generated\n"

func mustReadBogofilter(t testing.TB, text string) *counts.Counts {
	t.Helper()
	c, err := counts.ReadBogofilter(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustReadSpamAssassin(t testing.TB, text string) *counts.Counts {
	t.Helper()
	c, err := counts.ReadSpamAssassin(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// inDocuments returns in how many documents of ham and of spam each term is.
func inDocuments(t testing.TB, mail *train.Mail) map[string][2]int {
	t.Helper()
	entries := mail.Entries()
	refs := make([]features.Ref, len(entries))
	for i, e := range entries {
		refs[i] = e.Terms
	}
	index, _, err := mail.Documents().Build(refs, features.DefaultOptions(), 1)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string][2]int)
	for id := range index.Vocabulary().Len() {
		text := string(index.Text(id))
		hash := filter.DefaultReading().Key.Hash([]byte(text))
		n := [2]int{}
		for i, e := range entries {
			for _, term := range mail.Documents().Document(refs[i]).Terms {
				if term == hash {
					n[e.Label]++
				}
			}
		}
		found[text] = n
	}
	return found
}

func mustMake(t testing.TB, c *counts.Counts, o counts.Options) (*train.Mail, counts.Carried) {
	t.Helper()
	o.Reading = filter.DefaultReading()
	mail, carried, err := c.Mail(o)
	if err != nil {
		t.Fatal(err)
	}
	return mail, carried
}

func TestTheCountsOfBogofilterBecomeThoseOfTerms(t *testing.T) {
	mail, carried := mustMake(t, mustReadBogofilter(t, bogofilter), counts.Options{Seed: 1})
	want := map[string][2]int{
		"body:offer":             {1, 3}, // of 5 spam, 5 (1 - 3/5 4/5) = 2.6
		"subject:offer":          {0, 3},
		"subject:free":           {0, 2},
		"from:@shop.example.com": {0, 1},
		"from:@.example.com":     {0, 1},
		"from:marta":             {2, 0},
		"header:X-Mailer":        {3, 4},
		"charset:utf-8":          {4, 1},
		"encoding:base64":        {0, 2},
		"host:www.example.com":   {1, 1},
		"domain:example.com":     {1, 1},
		"body:mani":              {4, 5}, // no more than there are
		"body:negat":             {1, 0},
	}
	if diff := cmp.Diff(want, inDocuments(t, mail)); diff != "" {
		t.Error(diff)
	}
	if carried.Ham != 4 || carried.Spam != 5 || carried.Terms != len(want) || carried.Scale != 1 {
		t.Errorf("got %+v", carried)
	}
	wantShares := []counts.Share{
		{Kind: "words of the text", Tokens: 5, Carried: 4, Count: 17, CarriedCounts: 14}, // not to-do, whose parts are too short
		{Kind: "names of header fields", Tokens: 1, Carried: 1, Count: 7, CarriedCounts: 7},
		{Kind: "charsets and encodings", Tokens: 2, Carried: 2, Count: 7, CarriedCounts: 7},
		{Kind: "words of the subject", Tokens: 2, Carried: 2, Count: 5, CarriedCounts: 5},
		{Kind: "header words without their field", Tokens: 1, Count: 4},
		{Kind: "words of address fields", Tokens: 2, Carried: 2, Count: 3, CarriedCounts: 3},
		{Kind: "other words about parts", Tokens: 1, Count: 3},
		{Kind: "hosts of links", Tokens: 1, Carried: 1, Count: 2, CarriedCounts: 2},
		{Kind: "route of delivery", Tokens: 1, Count: 1},
	}
	if diff := cmp.Diff(wantShares, carried.Kinds); diff != "" {
		t.Error(diff)
	}
}

func TestTheCountsOfSpamAssassinBecomeThoseOfTerms(t *testing.T) {
	mail, carried := mustMake(t, mustReadSpamAssassin(t, spamAssassin), counts.Options{Seed: 1})
	want := map[string][2]int{
		"body:offer":           {0, 3},
		"host:www.example.com": {2, 1},
		"domain:example.com":   {2, 1},
		"hidden:hidden":        {0, 1},
		"from:marta":           {2, 0},
		"from:@example.org":    {2, 0},
		"from:@.example.org":   {2, 0},
		"x-mailer:letter":      {1, 1},
		"x-campaign:spring":    {0, 1},
		"charset:utf-8":        {1, 1},
	}
	if diff := cmp.Diff(want, inDocuments(t, mail)); diff != "" {
		t.Error(diff)
	}
	if total := carried.Total(); total.Tokens != 15 || total.Carried != 11 {
		t.Errorf("got %+v", total)
	}
}

// ofRealProgram returns the counts of real programs, and the messages that they have learned.
func ofRealProgram(t testing.TB, name string, read func(*os.File) (*counts.Counts, error)) (*counts.Counts, map[string][2]int) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join("testdata", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	inMail := make(map[string][2]int)
	learned := 0
	for label, class := range [...]string{"ham", "spam"} {
		for line := range strings.Lines(string(readme)) {
			names, found := strings.CutPrefix(strings.TrimSpace(line), class+" ")
			if !found {
				continue
			}
			for _, name := range strings.Fields(names) {
				raw, err := sample.Message(class + "/" + name + ".eml")
				if err != nil {
					t.Fatal(err)
				}
				learned++
				c.Name(message.NewDecoder(message.DefaultOptions()).Decode(raw))
				view, err := filter.DefaultReading().View(raw)
				if err != nil {
					t.Fatal(err)
				}
				for _, term := range view.Terms {
					n := inMail[term.Term]
					n[label]++
					inMail[term.Term] = n
				}
			}
		}
	}
	if learned != c.Ham+c.Spam {
		t.Fatalf("README.md names %d messages, and %d ham and %d spam were learned", learned, c.Ham, c.Spam)
	}
	return c, inMail
}

// TestTheCountsOfRealProgramsAreThoseOfTheMail compares the counts of terms with what chaff finds in the mail that the other program has
// learned.
func TestTheCountsOfRealProgramsAreThoseOfTheMail(t *testing.T) {
	for _, tt := range []struct {
		name           string
		read           func(*os.File) (*counts.Counts, error)
		carried, right float64 // shares, at least
	}{
		{"bogofilter.txt", func(f *os.File) (*counts.Counts, error) { return counts.ReadBogofilter(f) }, 0.81, 0.87},
		{"spamassassin.txt", func(f *os.File) (*counts.Counts, error) { return counts.ReadSpamAssassin(f) }, 0.63, 0.84},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, inMail := ofRealProgram(t, tt.name, tt.read)
			mail, carried := mustMake(t, c, counts.Options{Seed: 1})
			total := carried.Total()
			if share := float64(total.CarriedCounts) / float64(total.Count); share < tt.carried {
				t.Errorf("%.2f of the counts are carried over, want %v", share, tt.carried)
			}
			right, all := 0, 0
			for text, n := range inDocuments(t, mail) {
				all++
				if n == inMail[text] {
					right++
				}
			}
			if share := float64(right) / float64(all); !(share >= tt.right) {
				t.Errorf("%.2f of %d terms are in as many documents as messages, want %v", share, all, tt.right)
			}
		})
	}
}

func TestNamesComeFromMail(t *testing.T) {
	file, err := os.Open(filepath.Join("testdata", "spamassassin.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c, err := counts.ReadSpamAssassin(file)
	if err != nil {
		t.Fatal(err)
	}
	named := func() (n int) {
		for _, token := range c.Tokens {
			if token.Text != "" {
				n++
			}
		}
		return n
	}
	if n := named(); n != 0 {
		t.Fatalf("%d tokens have texts, want none before mail is read", n)
	}
	only := func(name string) corpus.Source {
		return func(yield func(corpus.Item, error) bool) {
			for item, err := range sample.Source() {
				if strings.Contains(item.Origin, name) && !yield(item, err) {
					return
				}
			}
		}
	}
	if err := c.NameBy(t.Context(), only("45-rate-drop"), message.DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	one := named()
	if err := c.NameBy(t.Context(), sample.Source(), message.DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	if all := named(); one < 100 || all < 1000 {
		t.Errorf("got %d names by one message and %d by all", one, all)
	}
}

func TestTheSameCountsAndSeedGiveTheSameDocuments(t *testing.T) {
	make := func(seed uint64) []train.Entry {
		mail, _ := mustMake(t, mustReadBogofilter(t, bogofilter), counts.Options{Seed: seed})
		return mail.Entries()
	}
	if diff := cmp.Diff(make(1), make(1)); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(make(1), make(2)) {
		t.Error("another seed gives the same documents")
	}
	for _, e := range make(1) {
		if e.IsMessage() {
			t.Errorf("%+v is taken for a message", e)
		}
	}
}

func TestMoreMessagesThanThereIsRoomForAreScaledDown(t *testing.T) {
	c := mustReadBogofilter(t, ".MSG_COUNT 3000 1000 20260101\nalpha 300 0 20260101\nbeta 1 1000 20260101\n")
	mail, carried := mustMake(t, c, counts.Options{Seed: 1, Messages: 40})
	if carried.Ham != 10 || carried.Spam != 30 || math.Abs(carried.Scale-0.01) > 1e-12 {
		t.Errorf("got %+v", carried)
	}
	if diff := cmp.Diff(map[string][2]int{"body:alpha": {0, 3}, "body:beta": {10, 0}}, inDocuments(t, mail)); diff != "" {
		t.Error(diff)
	}
}

func TestNoNumberOfMessagesFillsTheMemory(t *testing.T) {
	c := mustReadBogofilter(t, ".MSG_COUNT 2147483647 2147483647 20260101\nalpha 2147483647 1 20260101\n")
	_, carried := mustMake(t, c, counts.Options{Seed: 1})
	if carried.Ham != 100_000 || carried.Spam != 100_000 {
		t.Errorf("got %+v", carried)
	}
}

func TestALanguageThatDependsOnTheMessageIsAnError(t *testing.T) {
	r := filter.DefaultReading()
	r.Tokenize.Language = "auto"
	if _, _, err := mustReadBogofilter(t, bogofilter).Mail(counts.Options{Reading: r}); !errors.Is(err, counts.ErrLanguage) {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsNoListOfCountsIsAnErrorWithTheLine(t *testing.T) {
	const head = "v\t3\tdb_version # x\nv\t5\tnum_spam\nv\t4\tnum_nonspam\n"
	for _, tt := range []struct {
		about, text  string
		spamAssassin bool
		want         string
	}{
		{"nothing", "", false, "they are of 0 ham and 0 spam: both classes are needed"},
		{"one class", ".MSG_COUNT 5 0 20260101\na 1 0 1\n", false, "they are of 0 ham and 5 spam: both classes are needed"},
		{"no token", ".MSG_COUNT 5 4 20260101\n", false, "there is no token"},
		{"a message", "Subject: hello there\n", false, "line 1: the number of spam is \"hello\": must be a whole number up to 2147483647"},
		{"a word alone", ".MSG_COUNT 5 4 20260101\n\nalpha\n", false, "line 3: it is not a token with its spam, ham and date, as bogoutil -d prints them"},
		{"a count that is too large", "alpha 1 99999999999 1\n", false, "line 1: the number of ham is \"99999999999\": must be a whole number up to 2147483647"},
		{"a long line", strings.Repeat("x", 1<<16) + " 1 1 1\n", false, "line 1 is longer than 65536 bytes"},
		{"nothing of SpamAssassin", "", true, "they are of 0 ham and 0 spam: both classes are needed"},
		{"no version", "t\t1\t0\t17\t0123456789\n", true, "line 1: it is not the version of a database, with which the output of sa-learn --backup begins"},
		{"a newer version", "v\t4\tdb_version\n", true, "line 1: the version of the database is \"4\": must be 2 or 3"},
		{"a token that is no digest", head + "t\t1\t0\t17\t01234567\n", true, "line 4: the token \"01234567\" is not 10 hexadecimal digits"},
		{"a digest that is no number", head + "t\t1\t0\t17\t012345678g\n", true, "line 4: the token \"012345678g\" is not 10 hexadecimal digits"},
		{"a token without a count", head + "t\tx\t0\t17\t0123456789\n", true, "line 4: the number of spam is \"x\": must be a whole number up to 2147483647"},
		{"another line", head + "u\t1\n", true, "line 4: it begins with \"u\\t1\": must be v, t or s with its fields, as sa-learn --backup prints them"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			read := counts.ReadBogofilter
			if tt.spamAssassin {
				read = counts.ReadSpamAssassin
			}
			_, err := read(strings.NewReader(tt.text))
			if want := "not the counts of a filter: " + tt.want; err == nil || err.Error() != want || !errors.Is(err, counts.ErrFormat) {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

// checkRead checks what every list that can be read must keep to, and that documents can be made of it.
func checkRead(t *testing.T, c *counts.Counts, err error) {
	if err != nil {
		if !errors.Is(err, counts.ErrFormat) {
			t.Fatalf("got %v, want an error about the format", err)
		}
		return
	}
	if c.Ham <= 0 || c.Spam <= 0 || len(c.Tokens) == 0 {
		t.Fatalf("got %d ham, %d spam and %d tokens", c.Ham, c.Spam, len(c.Tokens))
	}
	for _, token := range c.Tokens {
		if token.Ham < 0 || token.Spam < 0 || token.Ham > c.Ham || token.Spam > c.Spam || token.Ham+token.Spam == 0 {
			t.Fatalf("%+v of %d ham and %d spam", token, c.Ham, c.Spam)
		}
	}
	mail, carried, err := c.Mail(counts.Options{Reading: filter.DefaultReading(), Messages: 50})
	if err != nil {
		t.Fatal(err)
	}
	if carried.Total().Tokens != len(c.Tokens) {
		t.Errorf("%d of %d tokens are accounted for", carried.Total().Tokens, len(c.Tokens))
	}
	if n := mail.Len(); n < 2 || n > 52 {
		t.Errorf("got %d documents", n)
	}
	for i := range mail.Len() {
		seen := make(map[uint64]bool)
		for _, term := range mail.Documents().Document(mail.Document(i)).Terms {
			if seen[term] {
				t.Fatal("a document has a term twice")
			}
			seen[term] = true
		}
	}
}

func FuzzReadBogofilter(f *testing.F) {
	f.Add(bogofilter)
	f.Add(".MSG_COUNT 1 1\nurl:0x7f.1 1 1 1\nhead:X- 1 0 1\n\xff\xfe 1 1 1\nsubj: 1 1 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := counts.ReadBogofilter(strings.NewReader(text))
		checkRead(t, c, err)
	})
}

func FuzzReadSpamAssassin(f *testing.F) {
	f.Add(spamAssassin, "Subject: Offer!\n\nUnbelievable offers--now at www.example.com")
	f.Add(strings.Replace(spamAssassin, "v\t2", "v\t3", 1), "From: Marta <marta@example.org>\n\n")
	f.Add("v\t3\tdb_version\nv\t1\tnum_spam\nv\t1\tnum_nonspam\nt\t1\t1\t17\t0123456789\n", "\n\nx")
	f.Fuzz(func(t *testing.T, text, raw string) {
		c, err := counts.ReadSpamAssassin(strings.NewReader(text))
		if err == nil {
			c.Name(message.NewDecoder(message.DefaultOptions()).Decode([]byte(raw)))
		}
		checkRead(t, c, err)
	})
}
