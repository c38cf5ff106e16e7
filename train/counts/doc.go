// Package counts makes documents of the token counts of another filter, so that a model and its store can begin with what that filter has learned.
//
//	c, err := counts.ReadBogofilter(file)        // or ReadSpamAssassin, and Name for the words behind its digests
//	mail, carried, err := c.Mail(counts.Options{Reading: reading, Seed: 1})
//	collection, err := mail.Divide(options)
//
// A token becomes the terms that package tokenize makes of its text where the token stood, such as `subject:offer` of subj:Offers. What has no
// counterpart is counted by kind: see [Carried].
//
// Several tokens can be one term, as Offer and offers are. The filter does not keep how often they are in the same message, so they are taken
// for independent: of N messages,
//
//	N (1 - product over the tokens t of (1 - n_t/N))
//
// have the term. (On SpamAssassin's corpus the sum of the errors of these estimates is 86,000 for words of the text, against 120,000 with the
// greatest n_t and 103,000 with the sum of the n_t.)
//
// There are as many documents of each class as the filter has learned messages. A term is in just as many of them as the counts say, drawn at
// random by a seed, so that naive Bayes on bits has exactly these counts, and every model can be fitted, go on learning, and be fitted
// again. The documents are no messages: see [train.Entry].
package counts
