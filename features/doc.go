// Package features turns the terms of messages into sparse vectors.
//
// It sees hashes of terms, not mail. A [Bag] collects the terms of one message into a [Document]. [Documents] keep those of a
// corpus in a few bytes for each term, in memory or in a temporary file. [Documents.Build] gives the terms of the training part the
// ids 0..V-1, and [Index.Dataset] returns N documents as the rows of a sparse matrix (N x V), a [Dataset].
//
// Three words name a term beside its hash and its text. Its index is its place in a Document. Its number is its place among all terms of
// Documents, which are sorted by an unkeyed hash of their texts once all are there. Its id is its place in a [Vocabulary].
//
// [Documents.Save] passes on what a file of documents has. [Documents.AddSaved] and [Writer.AddRecord] add what several files have to others.
//
// A [Kind] says what the values of a row are. [Bits] and [Counts] are those of the lectures (cs440, "Two Different BoW
// Algorithms"). [NormalisedBits] and [NormalisedCounts] are the same, L2-normalised. [HeadBits] are the bits of the terms in the head
// of a text. [Whole] has one term, the document itself, for a classifier that remembers documents.
//
// [Evidence] is bits in groups, each of them L2-normalised by itself. Every term belongs to one group: words, pairs, subject,
// links, structure, or other header fields. The last group is the grams, the byte 4-grams of a message, which have no terms: [Cell]
// hashes half of them to [CellCount] cells, which have the ids 0 to CellCount-1. The terms of the vocabulary follow.
//
// A 64-bit hash under a secret key identifies a term. Two of a million terms share a hash with a probability of about 3e-8, and
// then count as one term. No figure depends on the key, because ids, and with them the order of sums, follow from the texts
// of the terms. The exception is two texts made to share their unkeyed hash: the key decides which comes first.
//
// Complete Documents, a Vocabulary, an Index and a Dataset are read-only and safe for concurrent use. A Bag, a Writer, a Lookup
// and Rows belong to one goroutine.
package features
