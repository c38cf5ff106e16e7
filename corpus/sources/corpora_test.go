package sources

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestRealMailJoinedWithCatIsTakenApartAgain joins the files of each folder of the SpamAssassin corpus, which begin with
// From_ lines, into one mbox, and requires that they are split in the same places.
func TestRealMailJoinedWithCatIsTakenApartAgain(t *testing.T) {
	dir := os.Getenv("TEST_CORPORA")
	if dir == "" {
		t.Skip("needs real mail: set TEST_CORPORA to a folder with the corpora sa and enron (see docs/inside/results.md)")
	}
	all := 0
	for _, folder := range []string{"easy-ham-1", "easy-ham-2", "hard-ham-1", "spam-1", "spam-2"} {
		var files [][]byte
		var names []string
		for _, item := range itemsOf(t, open(t, filepath.Join(dir, "sa", folder), Folder)) {
			raw := read(t, item)
			// A file that does not end in a line end cannot be told from its successor, and one without a From_ line is
			// the rest of its predecessor.
			if BeginsMbox(raw) && bytes.HasSuffix(raw, []byte("\n")) {
				files, names = append(files, raw), append(names, item.Origin)
			}
		}
		text := bytes.Join(files, nil)
		got := scanAll(t, bytes.NewReader(text))
		if len(got) != len(files) {
			t.Errorf("%s: got %d messages, want %d", folder, len(got), len(files))
		}
		for i := range min(len(got), len(files)) {
			if m := got[i]; !bytes.Equal(text[m.offset:m.offset+m.size], files[i]) {
				t.Errorf("%s: got %d bytes, want %d", names[i], m.size, len(files[i]))
				break
			}
		}
		all += len(files)
	}
	if all < 3000 {
		t.Errorf("only %d messages were joined", all)
	}
	t.Logf("%d messages", all)
}
