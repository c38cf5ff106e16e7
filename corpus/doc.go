// Package corpus divides labelled mail for experiments.
//
// An [Item] is one message with its class, read on demand, and a [Source] is a stream of items. [Fingerprint] finds copies of a
// message, [NearDuplicates] messages that are nearly the same, [DeliveryTime] when a message came. [SplitOptions] divides
// messages into training, development and test parts.
//
// Package sources reads the formats that mail is kept in. It is a package of its own because its libraries for archives and
// compression fill tables at start-up, which a program that only classifies should not pay for.
package corpus
