// Package filter joins a tokenizer, a vocabulary, a linear model and its thresholds into a spam filter, which is trained on a
// collection of mail, saved to a file, loaded again, and classifies messages.
//
// Training:
//
//	mail, err := filter.Collect(ctx, source, classes, options) // read, decode, tokenise, split
//	f, result, err := filter.Train(ctx, mail, "votes", o)      // measured on the parts that it has not learnt
//	f, refitted, err := mail.Refit(ctx, filter.Trained{Filter: f, Result: result}, o) // fitted to all the mail
//	err = f.Save("spam.model")
//
// Classification:
//
//	f, err := filter.Open("spam.model")
//	verdict := f.Classify(raw)
//
// Beyond that: [Compare] and [CrossValidate] set models side by side, [ReadForReplay] replays mail as it came in, [Filter.Explain]
// shows what a score is made of, and [Collection.Review] and [Collection.Leaks] what is worth reading.
//
// Training and classification turn the bytes of a message into terms and cells in one function, reader.gather; a filter does it with
// the settings stored in the model.
//
// A Filter is immutable and safe for concurrent use, but for one of [OpenForOne].
package filter
