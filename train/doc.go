// Package train makes filters: it reads labelled mail, splits it, fits models, and chooses thresholds and calibration.
//
//	mail, err := train.Collect(ctx, source, []string{"ham", "spam"}, train.DefaultCollectOptions())
//	trained, err := train.Fit(ctx, mail, "softmax", train.DefaultOptions())     // fitted to the training part
//	f, refitted, err := mail.Refit(ctx, trained, train.DefaultOptions())       // fitted to all the mail
//	err = f.Save("spam.model")
//
// A [Collection] reads each message once. It can be divided again, and any number of models can be fitted to it, without reading the mail
// again. [Mail.Entry] is what is kept of a message, and [NewMail] makes mail of entries: a model is a function of them.
package train
