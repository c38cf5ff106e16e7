package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"chaff/message"
	"chaff/test/corpustest"
	"chaff/test/testmain"
)

// group is some hosts and their stream, without a network.
type group struct {
	t      *testing.T
	paths  map[string]string
	boxes  map[string]*Outbox
	sent   map[string]uint64 // the position of the last record of each host
	number map[string]uint64
	stream []Lesson
	made   int64
	clock  int64 // goes on with each thing that is taught
}

// open opens the log of a host, whose clock is wrong by hours.
func (g *group) open(host string) *Store {
	g.t.Helper()
	s := opened(g.t, g.paths[host])
	s.now = func() time.Time {
		g.clock++
		return time.Unix(2000000000+g.clock, 0).Add(map[string]time.Duration{"a": -5 * time.Hour, "b": 5 * time.Hour}[host])
	}
	return s
}

func newGroup(t *testing.T, model string, hosts ...string) *group {
	g := &group{t: t, paths: map[string]string{}, boxes: map[string]*Outbox{}, sent: map[string]uint64{}, number: map[string]uint64{}, made: 2000000000e9}
	base := trained(t, model, corpustest.Mailbox(1, 40, "ham", "spam"))
	for _, host := range hosts {
		path := filepath.Join(t.TempDir(), host)
		for _, suffix := range []string{"", Suffix} {
			if err := os.WriteFile(path+suffix, contents(t, base+suffix), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		g.paths[host], g.boxes[host] = path, &Outbox{Path: path}
		g.apply(host, 0)
	}
	return g
}

// send puts what waits at a host into the stream.
func (g *group) send(host string, n int) {
	g.t.Helper()
	all, err := g.boxes[host].Next(n, g.sent[host])
	if err != nil {
		g.t.Fatal(err)
	}
	for _, w := range all {
		g.number[host]++
		g.put(host, w.Lesson(g.number[host], w.Terms()))
		g.sent[host] = uint64(len(g.stream))
	}
	g.boxes[host].Done(len(all))
}

func (g *group) put(host string, data []byte) {
	n := len(g.stream) + 1
	g.stream = append(g.stream, Lesson{Origin: host, Time: time.Unix(g.made/1e9+int64(n), 0), Data: data})
}

// apply makes a host learn up to n records of the stream.
func (g *group) apply(host string, n int) Applied {
	g.t.Helper()
	at, err := StandOf(g.paths[host])
	if err != nil {
		g.t.Fatal(err)
	}
	if at.Stream != g.made {
		at.Position = 0
	}
	to := min(int(at.Position)+n, len(g.stream))
	s, err := Open(g.t.Context(), g.paths[host], DefaultOptions())
	if err != nil {
		g.t.Fatal(err)
	}
	defer s.Close()
	a, err := Follow(s, Batch{Host: host, Stream: g.made, From: at.Position, To: uint64(to), Lessons: g.stream[at.Position:to]})
	if err == nil {
		err = s.Finish()
	}
	if err != nil {
		g.t.Fatal(err)
	}
	return a
}

func (g *group) digest(host string) string {
	g.t.Helper()
	v, err := Look(g.paths[host])
	if err != nil {
		g.t.Fatal(err)
	}
	defer v.Close()
	return v.Status(time.Now()).Digest
}

// settle makes all hosts send and learn all there is.
func (g *group) settle() {
	g.t.Helper()
	for host := range g.paths {
		g.apply(host, len(g.stream))
		for g.send(host, 1000); g.boxes[host].Len() > 0; g.send(host, 1000) {
		}
	}
	for host := range g.paths {
		g.apply(host, len(g.stream))
	}
}

// fit makes one host fit and all take that over.
func (g *group) fit(host string) {
	g.t.Helper()
	out := g.paths[host] + ".fit"
	fit, err := FitShared(g.t.Context(), g.paths[host], out, DefaultOptions(), RetrainOptions{Workers: 1})
	if err != nil {
		g.t.Fatal(err)
	}
	for host, path := range g.paths {
		if at, err := StandOf(path); err != nil {
			g.t.Fatal(err)
		} else if at.Position < fit.Position {
			g.apply(host, int(fit.Position-at.Position))
		}
		for _, suffix := range []string{"", Suffix} {
			if err := os.WriteFile(path+".new"+suffix, contents(g.t, out+suffix), 0o600); err != nil {
				g.t.Fatal(err)
			}
		}
		if err := Adopt(g.t.Context(), path, path+".new", host); err != nil {
			g.t.Fatalf("%s: %v", host, err)
		}
	}
}

// same checks that all hosts have one state.
func (g *group) same() {
	g.t.Helper()
	want := ""
	for host := range g.paths {
		if digest := g.digest(host); want == "" {
			want = digest
		} else if digest != want {
			g.t.Fatalf("host %s has the digest %s, another one %s", host, digest, want)
		}
	}
}

// asTheStreamSays checks that a host has what the records of the stream say, of each the first time it came, and that the last thing that each host has taught
// of a message is among them.
func (g *group) asTheStreamSays(host string, taught map[string]map[uint64]string) {
	g.t.Helper()
	v, err := Look(g.paths[host])
	if err != nil {
		g.t.Fatal(err)
	}
	defer v.Close()
	came, last := map[string]bool{}, map[string]map[uint64]string{}
	want, confirmed := map[uint64]string{}, map[uint64]bool{}
	for _, l := range g.stream {
		x, err := l.read(&v.names)
		if err != nil {
			g.t.Fatal(err)
		}
		if came[l.Origin+string(l.Data)] {
			continue
		}
		came[l.Origin+string(l.Data)] = true
		says := "forgotten"
		if x.entry.what == learn {
			says = v.Classes()[x.entry.Label]
		}
		id := x.entry.Fingerprint
		if last[l.Origin] == nil {
			last[l.Origin] = map[uint64]string{}
		}
		last[l.Origin][id] = says
		if !confirmed[id] || x.entry.Confirmed {
			want[id], confirmed[id] = says+" by "+l.Origin, x.entry.Confirmed
		}
	}
	for id, says := range want {
		got := "nothing"
		if i, known := v.ledger.index[id]; known {
			e := v.ledger.entries[i]
			if got = "forgotten by " + e.Origin; e.what == learn {
				got = v.Classes()[e.Label] + " by " + e.Origin
			}
		}
		if got != says {
			g.t.Errorf("message %x is %s, and the stream says %s", id, got, says)
		}
	}
	for host, all := range taught {
		for id, says := range all {
			if last[host][id] != says && !confirmed[id] {
				g.t.Errorf("host %s taught that %x is %s, and sent that it is %q", host, id, says, last[host][id])
			}
		}
	}
}

func (g *group) sameBytes() {
	g.t.Helper()
	want := ""
	for host, path := range g.paths {
		if bytes := string(contents(g.t, path)); want == "" {
			want = bytes
		} else if bytes != want {
			g.t.Fatalf("the model of %s has other bytes", host)
		}
	}
}

func TestHostsThatTeachEachOtherHaveOneLog(t *testing.T) {
	seeds := uint64(1)
	if testmain.IsLong() {
		seeds = 6
	}
	for _, model := range []string{"votes", "multinomial", "perceptron"} {
		for seed := range seeds {
			t.Run(fmt.Sprint(model, seed), func(t *testing.T) {
				g := newGroup(t, model, "a", "b", "c")
				names := []string{"a", "b", "c"}
				mail := mailOf(t, corpustest.Mailbox(2, 2, "ham", "spam"))
				taught := map[string]map[uint64]string{"a": {}, "b": {}, "c": {}}
				random := rand.New(rand.NewPCG(seed, 1))
				var step func(host string, mayFit bool)
				step = func(host string, mayFit bool) {
					switch random.IntN(10) {
					case 0, 1, 2, 3:
						s := g.open(host)
						m := mail[random.IntN(len(mail))]
						var o Outcome
						var err error
						says := "forgotten"
						if random.IntN(3) == 0 {
							o, err = s.Forget(m.Raw)
						} else {
							m.Label = []string{"ham", "spam"}[random.IntN(2)]
							says = m.Label
							o, err = s.Learn(m)
						}
						if o.What != Known && o.What != Refused {
							taught[host][s.Fingerprint(m.Raw)] = says
						}
						if err == nil && random.IntN(2) == 0 {
							err = shrunk(s)
						}
						if err != nil {
							t.Fatal(err)
						}
						s.Close()
					case 4, 5:
						g.send(host, 1+random.IntN(5))
					case 6, 7:
						g.apply(host, 1+random.IntN(9))
					case 8: // a record comes again
						if len(g.stream) > 0 {
							l := g.stream[random.IntN(len(g.stream))]
							g.put(l.Origin, l.Data)
						}
					case 9:
						switch random.IntN(4) {
						case 0: // the host begins anew
							g.anew(host)
						case 1:
							g.fit(host)
						case 2:
							if !mayFit {
								return
							}
							s := g.open(host)
							fitBeside(t, s, func() {
								for range random.IntN(20) {
									step(names[random.IntN(len(names))], false)
									step(host, false)
								}
							})
							s.Close()
						case 3: // a person confirms a label, or says that it is wrong
							s := g.open(host)
							all, err := s.Entries()
							if err == nil {
								id := all[len(all)-1-random.IntN(5)].Fingerprint
								delete(taught[host], id)
								_, err = s.Retrain(t.Context(), map[uint64]int{id: random.IntN(2)}, RetrainOptions{Workers: 1})
							}
							if err != nil {
								t.Fatal(err)
							}
							s.Close()
						}
					}
				}
				for range 150 {
					step(names[random.IntN(len(names))], true)
				}
				g.settle()
				g.same()
				g.asTheStreamSays("a", taught)
				g.fit("b")
				g.same()
				g.sameBytes()
			})
		}
	}
}

func TestWhatAFitLeavesOutMayGetItsPlaceMeanwhile(t *testing.T) {
	g := newGroup(t, "votes", "a")
	s := g.open("a")
	for i := range 60 {
		learned(t, s, numbered(i))
	}
	s.options.MaxMessages = 20
	fitBeside(t, s, func() {
		g.send("a", 60)
		g.apply("a", 60)
	})
	s.options.MaxMessages = 0
	retrain(t, s)
	if has := numbers(t, g.paths["a"], 60); len(has) != 60 {
		t.Errorf("%d lessons, want 60", len(has))
	}
}

// TestARecordThatIsNoneIsRefused changes every byte of a record, and cuts it everywhere.
func TestARecordThatIsNoneIsRefused(t *testing.T) {
	g := newGroup(t, "votes", "a", "b")
	s := opened(t, g.paths["a"])
	learned(t, s, mailOf(t, corpustest.Mailbox(2, 1, "ham"))[0])
	s.Close()
	g.apply("a", 0)
	g.send("a", 1)
	whole := g.stream[0]
	g.stream = nil
	random := rand.New(rand.NewPCG(1, 1))
	for i := range whole.Data {
		l := whole
		l.Data = append([]byte(nil), whole.Data...)
		l.Data[i] ^= byte(1 + random.IntN(255))
		g.put("a", l.Data)
		g.put("a", whole.Data[:i])
	}
	g.put("too long", whole.Data)
	a := g.apply("b", len(g.stream))
	refused := 0
	for _, n := range a.Refused {
		refused += n
	}
	if refused < len(whole.Data) || refused+a.Learned+a.Twice != len(g.stream) {
		t.Errorf("%d of %d are refused, %d learned, %d came before", refused, len(g.stream), a.Learned, a.Twice)
	}
	if a := g.apply("b", 1); len(a.Refused) > 0 {
		t.Errorf("what was refused is read again: %v", a.Refused)
	}
	s = opened(t, g.paths["b"])
	if s.Changed() == 0 {
		t.Error("nothing was learned")
	}
	le := binary.LittleEndian
	for _, test := range []struct {
		name, want string
		change     func(l *Lesson, entry []byte)
	}{
		{"an infinite score", "no record", func(_ *Lesson, e []byte) { le.PutUint64(e[32:], math.Float64bits(math.Inf(1))) }},
		{"a message that is larger than any", "no record", func(_ *Lesson, e []byte) { le.PutUint32(e[48:], message.MaxSize+1) }},
		{"a label that is none", "no record", func(_ *Lesson, e []byte) { le.PutUint32(e[52:], 2) }},
		{"a class that is none", "no record", func(_ *Lesson, e []byte) { le.PutUint32(e[56:], 2) }},
		{"a class below none", "no record", func(_ *Lesson, e []byte) { le.PutUint32(e[56:], math.MaxUint32-1) }},
		{"a way that is none", "no record", func(_ *Lesson, e []byte) { e[60] = byte(ways) }},
		{"neither learned nor forgotten", "no record", func(l *Lesson, _ []byte) { l.Data[1] = byte(see) }},
		{"forgotten with a document", "no record", func(l *Lesson, _ []byte) { l.Data[1] = byte(forget) }},
		{"an origin that is too long", "no record", func(l *Lesson, _ []byte) { l.Origin = "a-long-one" }},
		{"more bytes than a record may have", "no record", func(l *Lesson, _ []byte) { l.Data = append(l.Data, make([]byte, MaxLesson)...) }},
		{"another version", "another version", func(l *Lesson, _ []byte) { l.Data[0]++ }},
		{"the right number, another key", "another key", func(l *Lesson, _ []byte) { l.Data[8]++ }},
	} {
		l := whole
		l.Data = bytes.Clone(whole.Data)
		test.change(&l, l.Data[lessonHead:])
		if _, err := l.read(&s.names); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
		if is := l.Data[0] == lessonVersion && l.Data[8] == whole.Data[8] && l.Origin == whole.Origin; l.NumberOf(s.check()) > 0 != is {
			t.Errorf("%s: its number is %d", test.name, l.NumberOf(s.check()))
		}
	}
}

func TestARecordThatComesAgainIsNotLearnedAgain(t *testing.T) {
	g := newGroup(t, "votes", "a", "b")
	s := opened(t, g.paths["a"])
	for _, m := range mailOf(t, corpustest.Mailbox(2, 1, "ham", "spam")) {
		learned(t, s, m)
	}
	s.Close()
	g.send("a", 2)
	first, second := g.stream[0], g.stream[1]
	s = opened(t, g.paths["b"])
	for _, step := range []struct {
		name           string
		stream         int64
		from, to       uint64
		lessons        []Lesson
		learned, twice int
		records        int // that are new in the log
		err            error
	}{
		{"another place in the stream", 1, 1, 2, nil, 0, 0, 0, ErrMoved},
		{"two in one batch, and the first again", 1, 0, 3, []Lesson{first, second, first}, 2, 1, 3, nil},
		{"each again in another batch", 1, 3, 4, []Lesson{second}, 0, 1, 1, nil},
		{"an earlier one again", 1, 4, 5, []Lesson{first}, 0, 1, 1, nil},
		{"nothing, further on", 1, 5, 7, nil, 0, 0, 1, nil},
		{"nothing at all", 1, 7, 7, nil, 0, 0, 0, nil},
		{"a place that the log has left", 1, 5, 7, nil, 0, 0, 0, ErrMoved},
		{"nothing of another stream", 2, 0, 0, nil, 0, 0, 1, nil},
		{"what the log has, of another stream", 2, 0, 2, []Lesson{first, second}, 2, 0, 1, nil},
	} {
		before := len(s.tail)
		a, err := Follow(s, Batch{Host: "b", Stream: step.stream, From: step.from, To: step.to, Lessons: step.lessons})
		if !errors.Is(err, step.err) || a.Learned != step.learned || a.Twice != step.twice || len(s.tail)-before != step.records {
			t.Errorf("%s: %d learned, %d came again, %d records, %v", step.name, a.Learned, a.Twice, len(s.tail)-before, err)
		}
		if n := len(step.lessons); n > 0 && !a.Last.Equal(step.lessons[n-1].Time) {
			t.Errorf("%s: the last one is of %v", step.name, a.Last)
		}
		if at := s.facts.Shared; step.err == nil && (at.Stream != step.stream || at.Position != step.to) {
			t.Errorf("%s: the log has followed to %+v", step.name, at)
		}
	}
}

func TestOnlyAModelOfTheSameMailAndSettingsIsTakenOver(t *testing.T) {
	g := newGroup(t, "votes", "a", "b")
	g.teach("a", numbered(0), "ham")
	g.settle()
	g.fit("a")
	all, few := g.paths["a"], g.paths["a"]+".few"
	_, err := FitShared(t.Context(), all, few, Options{MaxMessages: 10}, RetrainOptions{Workers: 1})
	noError(t, err)
	one := corpustest.Mailbox(1, 40, "ham", "spam")
	for _, test := range []struct {
		name, shared, path string
		want               error
	}{
		{"the same mail", all, trained(t, "votes", one), nil},
		{"half of the mail", all, trained(t, "votes", sourceOf(append(mailOf(t, one)[:30], mailOf(t, corpustest.Mailbox(3, 15, "ham", "spam"))...))), nil},
		{"less than half of the mail", all, trained(t, "votes", sourceOf(append(mailOf(t, one)[:30], mailOf(t, corpustest.Mailbox(3, 16, "ham", "spam"))...))), ErrOtherMail},
		{"another model", all, trained(t, "multinomial", one), ErrDiffers},
		{"a fit that has dropped most mail", few, trained(t, "votes", one), ErrOtherMail},
		{"a fit that has dropped most mail, after one of the same stream", few, g.paths["b"], nil},
	} {
		for _, suffix := range []string{"", Suffix} {
			noError(t, os.WriteFile(test.path+".new"+suffix, contents(t, test.shared+suffix), 0o600))
		}
		err := Adopt(t.Context(), test.path, test.path+".new", "b")
		at, err2 := StandOf(test.path)
		if !errors.Is(err, test.want) || at.Fit > 0 != (test.want == nil) || err2 != nil {
			t.Errorf("%s: got %v, want %v; the log: %+v, %v", test.name, err, test.want, at, err2)
		}
	}
}

func TestWhatWasTaughtIntoAStreamThatIsLostWaitsAgain(t *testing.T) {
	g := newGroup(t, "votes", "a", "b")
	for i, host := range []string{"a", "b", "a"} {
		g.teach(host, numbered(i), "ham")
		g.send(host, 1)
		g.apply("a", 1)
		if i == 0 {
			g.apply("b", 1) // the host that fits has the first one
		}
	}
	g.lose()
	g.fit("b")
	v, err := Look(g.paths["a"])
	noError(t, err)
	defer v.Close()
	for i, want := range []string{"is shared", "is another host's, which teaches it again", "waits"} {
		e, err := v.find(v.Fingerprint(numbered(i).Raw))
		noError(t, err)
		if is := [...]bool{e.what == learn && e.Shared, e.what == 0, e.what == learn && e.waits()}; !is[i] {
			t.Errorf("message %d: %+v, and it %s", i, e, want)
		}
	}
}

func TestWhatWaitsIsSentOnceAndInTheOrderInWhichItWasTaught(t *testing.T) {
	alone := trained(t, "votes", corpustest.Mailbox(1, 10, "ham", "spam"))
	noError(t, teach(t, alone, numbered(0)))
	v, err := Look(alone)
	noError(t, err)
	defer v.Close()
	box := &Outbox{Path: alone}
	if all, err := box.Next(9, 0); err != nil || len(all) > 0 {
		t.Errorf("a log that follows no stream: %d wait, %v", len(all), err)
	}
	g := newGroup(t, "votes", "a")
	box = g.boxes["a"]
	waits := func(when string, want ...int) {
		t.Helper()
		all, err := box.Next(9, g.sent["a"])
		same := err == nil && len(all) == len(want)
		for i := range want {
			same = same && all[i].entry.Fingerprint == v.Fingerprint(numbered(want[i]).Raw)
		}
		if !same {
			t.Errorf("%s: %d wait, %v; want %v", when, len(all), err, want)
		}
	}
	g.teach("a", numbered(0), "ham")
	waits("taught", 0)
	g.send("a", 1)
	g.teach("a", numbered(1), "ham")
	waits("the first was sent", 1)
	s := g.open("a")
	retrain(t, s)
	s.Close()
	waits("the log was written anew, and the first may have its place") // which only the stream says
	g.apply("a", 1)
	g.teach("a", numbered(2), "ham")
	g.teach("a", numbered(1), "spam")
	waits("the first has its place, and the second was taught once more after the third", 2, 1)
}

// What a host could not send while it had no network comes when the others have gone on.
func TestALateRecordCountsIfItIsNewer(t *testing.T) {
	g := newGroup(t, "votes", "a", "b")
	s := opened(t, g.paths["a"])
	learned(t, s, mailOf(t, corpustest.Mailbox(2, 1, "ham"))[0])
	s.Close()
	g.send("a", 1)
	first := g.stream[0]
	g.apply("b", 1)
	for _, test := range []struct {
		name, origin string
		later        time.Duration
		late         bool
		confirmed    byte
		want         int
	}{
		{"an older one of another host", "c", -time.Second, true, 0, 0},
		{"one of the same second", "c", 0, true, 0, 0},
		{"a newer one", "c", time.Second, true, 0, 1},
		{"an older one that was confirmed", "c", -time.Second, true, 1, 1},
		{"an older one of the same host", "a", -time.Second, true, 0, 1},
		{"an older one that is not late", "c", -time.Second, false, 0, 1},
	} {
		s := opened(t, copyStore(t, g.paths["b"], contents(t, g.paths["b"]+Suffix)))
		l := Lesson{Origin: test.origin, Time: first.Time.Add(test.later), Late: test.late, Data: bytes.Clone(first.Data)}
		l.Data[16]++ // its number
		l.Data[lessonHead+52], l.Data[lessonHead+62] = 1, test.confirmed
		_, err := Follow(s, Batch{Host: "b", Stream: g.made, From: 1, To: 2, Lessons: []Lesson{l}})
		noError(t, err)
		entries, err := s.Entries()
		if noError(t, err); entries[len(entries)-1].Label != test.want {
			t.Errorf("%s: the label is %d, want %d", test.name, entries[len(entries)-1].Label, test.want)
		}
	}
}

// Garbage that came under the name of a host, with the highest number there is, would else hide all that the host teaches from then on.
func TestTheNumberOfWhatCannotBeReadDoesNotCount(t *testing.T) {
	g := newGroup(t, "votes", "a", "b")
	for i, mail := range mailOf(t, corpustest.Mailbox(2, 1, "ham", "spam")) {
		s := opened(t, g.paths["a"])
		learned(t, s, mail)
		s.Close()
		g.apply("a", len(g.stream))
		g.send("a", 1)
		if i == 0 {
			other := bytes.Clone(g.stream[0].Data)
			for i := range 16 { // the check value and the number
				other[8+i] = 0xff
			}
			g.put("a", other)
		}
	}
	if a := g.apply("b", len(g.stream)); a.Learned != 2 || a.Refused["another key"] != 1 {
		t.Errorf("%d learned, %d came before, refused: %v; want 2 learned and one of another key", a.Learned, a.Twice, a.Refused)
	}
	g.settle()
	g.same()
}

// A record that is too large loses terms, the same ones on every host.
func TestARecordThatIsCutIsTheSameEverywhere(t *testing.T) {
	g := newGroup(t, "votes", "a", "b")
	s := opened(t, g.paths["a"])
	for _, m := range mailOf(t, corpustest.Mailbox(2, 5, "ham", "spam")) {
		learned(t, s, m)
	}
	s.Close()
	all, err := g.boxes["a"].Next(100, 0)
	if err != nil || len(all) != 10 {
		t.Fatalf("%d records wait: %v", len(all), err)
	}
	for i, w := range all {
		g.put("a", w.Lesson(uint64(i+1), w.Terms()/2))
	}
	for host := range g.paths {
		g.apply(host, 100)
	}
	g.same()
	var want string
	for _, path := range g.paths {
		if _, err := FitShared(t.Context(), path, path+".fit", DefaultOptions(), RetrainOptions{Workers: 1}); err != nil {
			t.Fatal(err)
		}
		if bytes := string(contents(t, path+".fit")); want == "" {
			want = bytes
		} else if bytes != want {
			t.Error("the models fitted to what was cut differ")
		}
	}
}

// teach teaches a host that a message has a label, "" to forget it.
func (g *group) teach(host string, m Message, label string) {
	g.t.Helper()
	s := g.open(host)
	defer s.Close()
	var o Outcome
	var err error
	if m.Label = label; label == "" {
		o, err = s.Forget(m.Raw)
	} else {
		o, err = s.Learn(m)
	}
	if err != nil || o.What == Refused || o.What == Known {
		g.t.Fatalf("%s: %v %v", host, o, err)
	}
}

// confirm makes a person at a host say that the label of a message is right.
func (g *group) confirm(host string, m Message) {
	g.t.Helper()
	s := g.open(host)
	defer s.Close()
	if _, err := s.Retrain(g.t.Context(), map[uint64]int{s.Fingerprint(m.Raw): slices.Index(s.Classes(), m.Label)}, RetrainOptions{Workers: 1}); err != nil {
		g.t.Fatal(err)
	}
}

// anew lets a host begin anew, once it has all that the stream has.
func (g *group) anew(host string) {
	g.t.Helper()
	g.apply(host, len(g.stream))
	g.boxes[host] = &Outbox{Path: g.paths[host]}
}

// lose makes the stream anew.
func (g *group) lose() {
	g.made, g.stream = g.made+1000e9, nil
	for host := range g.paths {
		g.sent[host] = 0
		g.anew(host)
		at, err := StandOf(g.paths[host])
		if err != nil {
			g.t.Fatal(err)
		}
		if g.number[host] = 0; at.Stream == g.made {
			g.number[host] = at.Numbers[host]
		}
	}
}

// says checks what all hosts say of a message.
func (g *group) says(m Message, label, origin string) {
	g.t.Helper()
	g.same()
	s := opened(g.t, g.paths["a"])
	defer s.Close()
	e, err := s.find(s.Fingerprint(m.Raw))
	got := ""
	if e.what == learn {
		got = s.Classes()[e.Label]
	}
	if err != nil || got != label || e.Origin != origin {
		g.t.Errorf("it is %q by %q, want %q by %q: %v", got, e.Origin, label, origin, err)
	}
}

func TestTheLastThingThatIsTaughtCounts(t *testing.T) {
	m := mailOf(t, corpustest.Mailbox(2, 1, "ham"))[0]
	for name, do := range map[string]func(*group){
		"the same was taught before, and something else between": func(g *group) {
			g.teach("b", m, "spam")
			g.send("b", 1)
			g.teach("b", m, "")
			g.send("b", 1)
			g.teach("b", m, "spam")
			g.anew("b")
			g.settle()
			g.says(m, "spam", "b")
		},
		"a new log has the number of the file of the log before, as disks give it": func(g *group) {
			other := mailOf(g.t, corpustest.Mailbox(3, 1, "ham"))[0]
			g.teach("b", other, "ham")
			g.teach("b", m, "spam")
			g.send("b", 1)
			path := g.paths["b"] + Suffix
			err := os.Link(path, path+".old")
			g.confirm("b", other)
			if err = errors.Join(err, os.WriteFile(path+".old", contents(g.t, path), 0o600), os.Rename(path+".old", path)); err != nil {
				g.t.Fatal(err)
			}
			for _, more := range mailOf(g.t, corpustest.Mailbox(4, 5, "ham")) {
				g.teach("b", more, "ham")
			}
			g.settle()
			g.says(m, "spam", "b")
		},
		"the first fit of a stream is of a time before": func(g *group) {
			g.teach("a", mailOf(g.t, corpustest.Mailbox(3, 1, "ham"))[0], "ham")
			g.send("a", 1)
			for host := range g.paths {
				g.apply(host, 1)
			}
			g.teach("b", m, "ham")
			g.send("b", 1)
			g.teach("c", m, "spam")
			g.send("c", 1)
			g.apply("b", 1)
			g.fit("a")
			g.settle()
			g.says(m, "spam", "c")
		},
		"a person confirmed the label before it was forgotten": func(g *group) {
			g.teach("b", m, "ham")
			g.settle()
			g.confirm("b", m)
			g.settle()
			g.teach("b", m, "")
			g.teach("b", m, "spam")
			g.anew("b")
			g.settle()
			g.says(m, "spam", "b")
		},
		"what a person confirmed was forgotten, and one host has written its model since": func(g *group) {
			g.teach("b", m, "ham")
			g.settle()
			g.confirm("b", m)
			g.teach("b", m, "")
			g.teach("c", m, "spam")
			g.send("b", 9)
			g.apply("a", 9)
			s := g.open("a")
			retrain(t, s)
			s.Close()
			g.settle()
			g.says(m, "", "b")
		},
		"only another host had it of a stream that was lost": func(g *group) {
			g.teach("b", m, "ham")
			g.teach("b", m, "spam")
			g.send("b", 9)
			g.apply("a", 9)
			g.lose()
			g.teach("b", m, "ham")
			g.anew("b")
			g.settle()
			g.says(m, "ham", "b")
		},
		"the host that fits did not have it of a stream that was lost": func(g *group) {
			g.teach("b", m, "ham")
			g.settle()
			g.fit("a")
			g.teach("b", m, "spam")
			g.send("b", 9)
			g.apply("b", 9)
			g.lose()
			g.settle()
			g.fit("a")
			g.settle()
			g.says(m, "spam", "b")
		},
		"the host that fits had something later of a stream that was lost": func(g *group) {
			g.teach("b", m, "ham")
			g.teach("c", m, "spam")
			g.send("b", 9)
			g.send("c", 9)
			g.apply("a", 9)
			g.apply("b", 1)
			g.apply("c", 9)
			g.lose()
			g.settle()
			g.fit("a")
			g.settle()
			g.says(m, "spam", "c")
		},
	} {
		t.Run(name, func(t *testing.T) { do(newGroup(t, "multinomial", "a", "b", "c")) })
	}
}
