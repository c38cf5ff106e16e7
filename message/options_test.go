package message_test

import (
	"slices"
	"strings"
	"testing"

	"chaff/internal/fieldtags"
	"chaff/message"
)

func TestOptionsHaveRanges(t *testing.T) {
	for _, good := range []message.Options{{}, message.DefaultOptions(), {MaxDepth: 1, MaxTextBytes: 1 << 30}} {
		if err := fieldtags.Check(good); err != nil {
			t.Errorf("%+v: got %v, want no complaint", good, err)
		}
	}
	bad := message.Options{MaxDepth: -1, MaxParts: 2_000_000, MaxTextBytes: 1<<30 + 1, MaxHeaderBytes: -5, MaxHeaderFields: -1, MaxSeconds: 4000}
	if err := fieldtags.Check(bad); err == nil || strings.Count(err.Error(), "must be 0, or from 1 to ") != 6 {
		t.Errorf("got %v", err)
	}
	message.NewDecoder(bad).Decode([]byte("Subject: a\n\nb\n")) // such limits are the default ones
}

func TestRepairsAreASet(t *testing.T) {
	m := decode("junk\nA: b\nContent-Transfer-Encoding: x\n\n")
	want := []message.Repair{message.HeaderWithoutColon, message.UnknownEncoding}
	if got := slices.Collect(m.Repairs.All()); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !m.Repairs.Has(message.UnknownEncoding) || m.Repairs.Has(message.BadBase64) {
		t.Errorf("Has disagrees with All: %v", m.Repairs)
	}
	for range m.Repairs.All() {
		break // an iteration may stop early
	}
}

func TestEveryRepairHasItsOwnPhrase(t *testing.T) {
	const all message.Repairs = 1<<(message.CutTime+1) - 1
	seen := map[string]bool{}
	for r := range all.All() {
		if r.String() == "" {
			continue // given up
		}
		if got := strings.HasPrefix(r.String(), "cut: "); message.Cuts.Has(r) != got {
			t.Errorf("%v: cut is %v", r, message.Cuts.Has(r))
		}
		if phrase := r.String(); seen[phrase] || strings.HasPrefix(phrase, "repair ") {
			t.Errorf("repair %d has the phrase %q", r, phrase)
		}
		seen[r.String()] = true
	}
	if len(seen) < 20 {
		t.Errorf("got %d kinds of repair, want at least 20", len(seen))
	}
	if got := message.Repair(200).String(); got != "repair 200" {
		t.Errorf("got %q for an unknown repair", got)
	}
}
