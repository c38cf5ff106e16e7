// Package store keeps what a mailbox has taught, beside the model that learned it.
//
// The ledger has an entry for each message: a digest of what the sender wrote, the label, when and how it was learned, the score before
// that, and the document, some kilobytes. It has the words and pairs of words of the mail, but not the mail. The model is a function of the
// ledger: [Store.Retrain] fits it again, and a message that was forgotten leaves no trace.
//
// A store is the file of its model with ".store" appended. Its base is the ledger at the last fold. The journal behind it has a record for
// each message that was learned, forgotten or refused since, with what changed in the model, so that a filter knows it at once:
// [filter.OpenOne] reads both. [Store.Fold] makes a new base and a new model of the two. docs/formats.md has every byte.
//
//	s, err := store.Open(ctx, "spam.model", store.DefaultOptions())
//	outcome, err := s.Learn(store.Message{Raw: raw, Label: "spam", Way: store.ByHand})
//	err = s.Close()
//
// One process writes at a time; the lock ends with the process. Readers never wait. After a crash at any instant a store holds the state before
// or after a message.
package store
