// Package store keeps what the user of a model has taught it: the log, from which the model can be made anew at any time.
//
// The log of the model FILE is FILE.log. It has a record for each message that was learned or forgotten: a digest of what the sender wrote, the
// label, when and how it was learned, the score before that, and the document, some kilobytes. It has the words and pairs of words of the mail, but not the
// mail. What a record changed in the model follows it, so that a filter knows it at once: [filter.OpenOne] reads the last records.
// Now and then the model is written anew, and a checkpoint in the log says so. [Store.Retrain] fits the model again to all messages of the log, and writes
// the log without what was forgotten. docs/inside/formats.md has every byte.
//
//	s, err := store.Open(ctx, "spam.model", store.DefaultOptions())
//	outcome, err := s.Learn(store.Message{Raw: raw, Label: "spam", Way: store.ByHand})
//	err = s.Close()
//
// The words of this package:
//
//	record      what is appended to a log at once (logfile.go in package logfile)
//	Entry       what a record says of a message: that it was learned or forgotten, as what, when and by whom
//	checkpoint  the record which says that a model has learned all before it; the records behind it are the tail
//	book        an open log: its header, its last checkpoint and its tail. It finds one message without reading the others
//	ledger      all that a log says, in memory: the newest entry of each message. A fit, a merge and a status begin with one
//	recipe      the settings in the header of a log, by which its model is made
//	Lesson      a record as the stream of hosts has it; Taught is what one says, or what waits to be one
//	Sighting    what a file of a mailbox said when it was last looked at
//	Store, View a book to write, and one to read, with the model
//
// The way of a message: Learn finds it in the book, asks the model for a learner that knows the terms of the message (filter.One.Partial),
// learns, and appends a record with what that changed. Retrain reads a ledger, fits a model to it, and puts both in place of the old ones (commit).
// A merge does the same with the union of several ledgers.
//
// One process writes at a time; the lock ends with the process. Readers never wait. After a crash at any instant a log holds the state before or
// after a message. A model that is missing, damaged or older than its log is made anew when the log is next opened for writing.
package store
