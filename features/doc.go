// Package features turns the terms of messages into sparse vectors.
//
// It sees hashes of terms and never mail: a [Bag] gathers the terms of one message into a [Document], [Documents] keep
// those of a corpus in a few bytes a term, [Documents.Build] gives the terms of the training part dense ids 0..V-1,
// and a [Dataset] holds N documents as the rows of a compressed sparse row matrix (N x V).
//
// A [Kind] says what the values of a row are. Two kinds are those of the lectures (cs440, "Two Different BoW Algorithms"):
// [Bits], one bit per document and term, and [Counts], one count per token. [NormalisedBits] and [NormalisedCounts] are the same,
// L2-normalised; [HeadBits] are the bits of what stands at the start of a message; [Whole] has a document for its only term, for a
// classifier that remembers documents.
//
// [Evidence] is bits in groups, each of them L2-normalised by itself. Every term is in one [Group], its kind of evidence: words,
// pairs, subject, links, structure, or other header fields. The last group is [Grams], the runs of four bytes of a message. They
// have no terms: [Cell] hashes every second of them to one of [CellCount] cells, which have the ids 0 to CellCount-1, and the terms
// of the vocabulary follow.
//
// Terms are identified by a 64-bit hash under a secret [Key]. Among a million terms two share a hash with a probability of about
// 3e-8; if it happens they count as one term, everywhere alike. The key decides where a term is in a table and nothing else: terms get
// their ids, and sums are made, in an order that follows from their texts. So no figure depends on the key.
//
// Documents, once complete, a Vocabulary, an Index and a Dataset are read-only and safe for concurrent use; a Bag, a Writer, a Lookup,
// Rows and a GrowingVocabulary belong to one goroutine.
package features
