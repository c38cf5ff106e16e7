// Package train makes filters: it reads labelled mail, splits it, fits models, chooses thresholds and calibrates probabilities.
//
//	mail, err := train.Collect(ctx, source, classes, options) // read, decode, tokenise, split
//	trained, err := train.Fit(ctx, mail, "votes", o)          // fitted to the training part, measured on all parts
//	f, refitted, err := mail.Refit(ctx, trained, o)           // fitted to all the mail
//	err = f.Save("spam.model")
//
// A [Collection] reads each message once. Any number of models can be fitted to it, and it can be divided again, without reading its
// mail again.
package train
