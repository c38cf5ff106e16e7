// Package sources lists labelled mail wherever it is kept: in Maildirs, mbox files, folders of MH, Thunderbird and Apple
// Mail, plain folders, archives of these, tables of short messages and TREC indexes.
//
//	mail, err := sources.OpenLabelled("/home/ann/Maildir/.Junk", sources.Options{Label: "spam"})
//	...
//	for item, err := range mail.Source {
//		if err == nil {
//			raw, err = item.Read(raw)
//		}
//		if err != nil {
//			skipped++ // the stream continues after an error
//			continue
//		}
//		use(raw, item.Label)
//	}
//
// Listing and reading are separate. A Source yields one Item per message with its file, offset and size, in an order that depends
// only on file names or on offsets in a file. Item.Read then reads the bytes into the caller's buffer, so memory grows with
// the number of messages and not with their size. A Source may be ranged over again. Items are plain
// values, and Read is safe for concurrent use.
//
// The package never writes, moves or renames anything in a mailbox: an unseen message stays unseen. It writes one kind of
// file: a temporary copy, in os.TempDir and of at most 16 GiB, of a pipe, a tar, or a compressed mbox, table or index. A table is read into
// memory.
//
// The first bytes of a file decide its compression and archive format, never its name. An archive is read like a folder, and no member
// name leads out of it. An archive among messages, damaged data and a file that decompresses to too much are errors of one item;
// everything before the damage is used.
package sources
