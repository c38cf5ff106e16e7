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
// Beyond that: [Compare] and [CrossValidate] set models side by side, [ReadForReplay] replays mail as it came in, [Filter.Explain]
// tells what a score is made of, and [Collection.Review] and [Collection.Leaks] what is worth reading.
//
// Both training and classification turn the bytes of a message into terms in one function, reader.terms, with the settings stored in the
// model.
//
// A Filter is immutable and safe for concurrent use.
package filter
