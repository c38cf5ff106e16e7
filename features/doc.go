// Package features turns the terms of messages into sparse vectors.
//
// It sees hashes of terms and never mail: a [Bag] gathers the terms of one message into a [Document], [Documents] keep
// those of a corpus in a few bytes a term, [Documents.Build] gives the frequent terms of the training part dense ids 0..V-1,
// and a [Dataset] holds N documents as the rows of a compressed sparse row matrix (N x V).
//
// The two kinds of feature are those of the lectures (cs440, "Two Different BoW Algorithms"): [Bits], one bit per
// document and term, and [Counts], one count per token. [UnitBits] and [UnitCounts] are the same with every document
// scaled to length 1; [StartBits] are the bits of what stands at the start of a message; [Whole] has a document for its
// only term, for a classifier that remembers documents.
//
// Terms are identified by their 64-bit xxhash. Among a million terms two share a hash with a probability of about
// 3e-8; if it happens they count as one term, everywhere alike.
//
// Documents, once complete, a Vocabulary, an Index and a Dataset are read-only and safe for concurrent use; a Bag, a Writer,
// Rows and a GrowingVocabulary belong to one goroutine.
package features
