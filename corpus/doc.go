// Package corpus lists labelled mail: messages in Maildirs, mbox files, folders of
// MH, Thunderbird and Apple Mail, other folders, and TREC indexes, each with the
// class it belongs to.
//
// The smallest complete use:
//
//	source, _, err := corpus.Open("/home/ann/Maildir/.Junk", "spam", "")
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
// Nothing is ever written, moved or renamed: a message that is unseen before it
// was read is unseen afterwards.
//
// A Source may be ranged over again; it then looks at the files again. Items are
// plain values, and Read may be called from several goroutines. The package holds
// no state.
//
// Beside the sources there is what a fair experiment asks of a corpus: Fingerprint
// finds the same message delivered twice, DeliveryTime says when a message came,
// and SplitOptions divides messages into training, development and test parts.
//
// What it does not do: decode messages, unpack archives, or write.
package corpus
