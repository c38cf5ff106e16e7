package sources

import (
	"path/filepath"
	"slices"
	"testing"

	"chaff/corpus"
)

// TestDeliveryTimeOfEachSource has a case for each format. The messages give their time in Received, in Date, or not.
func TestDeliveryTimeOfEachSource(t *testing.T) {
	const (
		from     = "From ann@example.org Fri Aug 23 12:00:00 2002\n"
		received = "Received: by d; Thu, 22 Aug 2002 12:00:00 +0000\nDate: 1 Aug 2002 12:00:00 +0000\n\nx\n"
		date     = "Date: Tue, 20 Aug 2002 12:00:00 +0000\n\nx\n"
		none     = "Subject: a\n\nx\n"
	)
	const august21 = "1029931200"
	root := tree(t, map[string]string{
		"maildir/cur/" + august21 + ".a:2,S": received, "maildir/cur/b:2,S": received, "maildir/cur/c:2,S": date, "maildir/new/": "",
		"mbox": from + received + "\n" + from + date + "\nFrom ann@example.org\n" + date + "\n" + from + none,
		"mh/9": none, "mh/10": received, "mh/11": date, "mh/100": none,
		"Old.mbox/Info.plist": "", "Old.mbox/1.emlx": "51\n" + date,
		"tb/In.msf": "", "tb/In": from + received,
		"folder/a": from + date, "folder/b": received, "folder/c": none,
		"message": received,
	})
	for _, tt := range []struct {
		about, name string
		days        []int // of August 2002; 0 for no time
	}{
		{"Maildir: the name of the file, else the message", "maildir", []int{21, 22, 20}},
		{"mbox: Received, else the From_ line", "mbox", []int{22, 23, 20, 23}},
		{"MH: the message, in the order of the numbers", "mh", []int{0, 22, 20, 0}},
		{"Apple Mail: the message", "Old.mbox", []int{20}},
		{"Thunderbird: as mbox", "tb", []int{22}},
		{"a folder: the message, in the order of the names", "folder", []int{23, 22, 0}},
		{"one message", "message", []int{22}},
	} {
		t.Run(tt.about, func(t *testing.T) {
			var days []int
			for _, item := range itemsOf(t, open(t, filepath.Join(root, tt.name), "")) {
				when := item.Time
				if when.IsZero() {
					when = corpus.DeliveryTime(read(t, item))
				}
				if days = append(days, when.Day()); when.IsZero() {
					days[len(days)-1] = 0
				}
			}
			if !slices.Equal(days, tt.days) {
				t.Errorf("got the days %v, want %v", days, tt.days)
			}
		})
	}
}
