// Package corpus is what a fair experiment asks of labelled mail, wherever it is
// kept: an Item is one message, with its class, that can be read when it is needed,
// and a Source a stream of them. Fingerprint finds the same message delivered
// twice, NearDuplicates those that are nearly the same, DeliveryTime says when a
// message came, and SplitOptions divides messages into training, development and
// test parts.
//
// Where mail is, and how it is kept, is for package sources. It is apart, since a
// program that only classifies must not be linked with all archives and ways of
// compression: they make tables when it starts.
//
// The package holds no state.
package corpus
