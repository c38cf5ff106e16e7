// Package sources lists labelled mail: messages in Maildirs, mbox files, folders of
// MH, Thunderbird and Apple Mail, and other folders, also in archives and
// compressed, and those that lists, TREC indexes and tables name, each with the
// class it belongs to.
//
// The smallest complete use:
//
//	source, _, err := sources.Open("/home/ann/Maildir/.Junk", "spam", "")
//	if err != nil {
//		return err
//	}
//	var raw []byte
//	for item, err := range source {
//		if err == nil {
//			raw, err = item.Read(raw)
//		}
//		if err != nil {
//			skipped++ // one message less; the stream goes on
//			continue
//		}
//		use(raw, item.Label)
//	}
//
// Listing and reading are apart. A Source yields an Item per message, which says
// where the message is (file, offset, size), in an order that depends on nothing
// but the names of the files or the place in the file. Item.Read fetches the
// bytes when they are needed, into the caller's buffer. So memory grows with the
// number of messages at most, and never with their size.
//
// Nothing in a mailbox is ever written, moved or renamed: a message that is unseen
// before it was read is unseen afterwards. Nothing else is written but the content
// of a compressed mbox, tar or table, of an mbox in a zip archive, and of a pipe, as
// messages must be read at their places: to a file in os.TempDir of at most
// MaxUnpackedBytes, without a name where the system can remove open files. It is
// gone when the source and its items are out of use, or the program ends.
//
// A compressed message, as some servers keep them in a Maildir, is decompressed by
// Item.Read, in memory. What compression or archive a file is, its first bytes say,
// and never its name. An archive is read as a folder; its members never lead out of
// it. An archive that lies among messages is an error of that item, as is what is
// damaged or unpacks to too much; what is before the damage is used.
//
// A Source may be ranged over again; it then looks at the files again. Items are
// plain values, and Read may be called from several goroutines. The package holds
// no state.
//
// What it does not do: decode messages, look into archives within archives, or
// write mail.
package sources
