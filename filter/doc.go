// Package filter joins a tokenizer, a vocabulary, a linear model and its thresholds into one thing: a spam filter that is
// trained on a collection of mail, saved to a file, loaded again, and classifies messages.
//
// Training:
//
//	mail, err := filter.Collect(ctx, source, classes, options) // read, decode, tokenise, split
//	f, err := filter.Train(ctx, mail, "multinomial", filter.DefaultTrainOptions())
//	err = f.Save("spam.model")
//
// Classification:
//
//	f, err := filter.Open("spam.model")
//	verdict := f.Classify(raw)
//
// Both turn the bytes of a message into terms in one function, reader.terms, with the settings stored in the
// model.
//
// A Filter is immutable and safe for concurrent use.
package filter
