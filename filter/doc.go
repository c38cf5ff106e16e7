// Package filter is the running filter: it turns the bytes of a message into a document, classifies it, explains the
// classification, writes it into the header of the message, and reads and writes the model file.
//
//	f, err := filter.Open("spam.model")
//	c := f.Classify(raw) // c.Verdict is ham, unsure or spam
//
// [NewReader] is the one way from bytes to terms; training uses it too. A filter reads messages with the settings stored in its model.
//
// A Filter is immutable and safe for concurrent use, unless [OpenForOne] returned it. Package train makes filters.
package filter
