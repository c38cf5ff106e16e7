// Package store keeps what the user of a model has taught it: the log, from which the model can be made anew at any time.
//
// The log of the model FILE is FILE.log. It has a record for each message that was learned, forgotten or refused: a digest of what the sender wrote, the
// label, when and how it was learned, the score before that, and the document, some kilobytes. It has the words and pairs of words of the mail, but not the
// mail. What a record changed in the model follows it, so that a filter knows it at once: [filter.OpenOne] reads the last records.
// Now and then the model is written anew, and a checkpoint in the log says so. [Store.Retrain] fits the model again to all messages of the log, and writes
// the log without what was forgotten. docs/inside/formats.md has every byte.
//
//	s, err := store.Open(ctx, "spam.model", store.DefaultOptions())
//	outcome, err := s.Learn(store.Message{Raw: raw, Label: "spam", Way: store.ByHand})
//	err = s.Close()
//
// One process writes at a time; the lock ends with the process. Readers never wait. After a crash at any instant a log holds the state before or
// after a message. A model that is missing, damaged or older than its log is made anew when the log is next opened for writing.
package store
