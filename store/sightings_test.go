package store

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/test/corpustest"
)

func TestFilesOfMailboxesAreNoted(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 30, "ham", "spam"))
	s := opened(t, path)
	raw := mailOf(t, corpustest.Mailbox(2, 1, "spam"))[0]
	learned(t, s, raw)
	known, home, work := s.Fingerprint(raw.Raw), s.NameHash("home"), s.NameHash("work")
	see := func(mailbox uint64, seen map[uint64]Sighting, gone ...uint64) {
		t.Helper()
		if err := s.See(mailbox, seen, gone); err != nil {
			t.Fatal(err)
		}
	}
	wants := func(name string, mailbox uint64, want map[uint64]Sighting) {
		t.Helper()
		_, got, err := s.Known(mailbox)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		v, err := Look(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, got, err := v.Known(mailbox); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%s: a reader sees %v, %v", name, got, err)
		}
	}
	wants("at first", home, nil)
	see(home, map[uint64]Sighting{1: {Fingerprint: known, Label: 1}, 2: {Fingerprint: 7, Label: 0}, 3: {Fingerprint: 8, Label: 0}})
	see(work, map[uint64]Sighting{1: {Fingerprint: known, Label: 0}})
	see(home, map[uint64]Sighting{2: {Fingerprint: 7, Label: 1}}, 3)
	wants("in the tail", home, map[uint64]Sighting{1: {Fingerprint: known, Label: 1}, 2: {Fingerprint: 7, Label: 1}})
	wants("another mailbox", work, map[uint64]Sighting{1: {Fingerprint: known, Label: 0}})
	if o := learned(t, s, raw); o.What != Known {
		t.Errorf("a message before the files is %s", o.What)
	}
	retrain(t, s)
	wants("after a fit, without the digests of messages that the store does not have", home, map[uint64]Sighting{1: {Fingerprint: known, Label: 1}, 2: {Fingerprint: 0, Label: 1}})
	if _, err := s.Forget(raw.Raw); err != nil {
		t.Fatal(err)
	}
	retrain(t, s)
	wants("a forgotten message leaves no digest", work, map[uint64]Sighting{1: {Fingerprint: 0, Label: 0}})

	s.file.Close() // as a full disk would, it fails
	if err := s.See(home, nil, nil); err == nil || !strings.Contains(err.Error(), "in "+path+Suffix+": ") {
		t.Errorf("the error does not name the log: %v", err)
	}
}

func TestDamagedNotesOfFilesAreFound(t *testing.T) {
	whole := appendSightings(nil, 1, map[uint64]Sighting{2: {Fingerprint: 3, Label: 1}, 4: {Fingerprint: 5}}, []uint64{6})
	if err := (sightings{}).apply(whole, 2); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if (sightings{}).apply(whole[:n], 2) == nil {
			t.Errorf("cut to %d bytes it is accepted", n)
		}
	}
	if (sightings{}).apply(whole, 1) == nil {
		t.Error("a class that does not exist is accepted")
	}
	for _, bad := range []struct{ at, value byte }{{8 + 7, 0xff}, {16 + 7, 0xff}, {8 + 7, 1 << 5}, {16 + 7, 1 << 5}, {24 + 16 + 4, byte(sightingStates)}} {
		damaged := bytes.Clone(whole)
		damaged[bad.at] += bad.value // numbers so large that their product is as before, too
		if (sightings{}).apply(damaged, 2) == nil {
			t.Errorf("%d at %d is accepted", bad.value, bad.at)
		}
	}
}
