// Package filter is the running filter: it turns the bytes of a message into a document, classifies it, explains the classification, adds
// the verdict to the header, and reads and writes the model file.
//
//	f, err := filter.Open(path)
//	c := f.Classify([]byte("Subject: offer\n\nBuy now"))
//	fmt.Println(c.Verdict) // ham, unsure or spam
//
// Training and classification turn bytes into terms with the same [Reader]. A filter uses the settings stored in its model file.
//
// There are two kinds of filter. A [Filter] is in memory, immutable and safe for concurrent use; package train makes filters. [One] reads from
// a file what one message needs.
package filter
