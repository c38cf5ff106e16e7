// Package models is the linear form that every classifier of the lectures ends in, and the trainers that make it.
//
// A [Trainer] turns a features.Dataset into a [Linear]; classifying, explaining and the model file know only Linear:
//
//	trainer, kind, err := models.DefaultOptions().New("bernoulli")
//	linear, report, err := trainer.Train(ctx, dataset) // dataset.Kind is kind
//	class := linear.Predict(vector)
//
// The settings of a trainer are the exported fields of the struct that implements it, and it checks them when it trains.
// Trainers leave the data set unchanged. The same data set and settings give the same Linear to the last bit, wherever
// math.Log rounds alike; scores of the same Linear are the same everywhere, since the product of two float32 is exact
// in float64.
//
// A Linear is immutable once made and safe for concurrent use, and so are trainers, which hold settings only.
//
// # Symbols
//
//	i = 1..N    documents of the training part; N_c of them are of class c
//	c = 1..K    classes
//	w = 1..V    terms of the vocabulary
//	f_w         feature of a document: bit (1 if w occurs) or count (how many tokens are w)
//	n_cw        sum of f_w over the documents of class c: documents that contain w, or tokens that are w
//	n_c         sum of n_cw over w: tokens of class c
//	a           smoothing
//	pi_c        prior probability of class c
//	lambda_cw   bits: probability that a document of class c contains w; counts: that a token of class c is w
//	alpha_cw    weight of term w for class c (a_cw in the design)
//	beta_c      bias of class c (b_c)
//
// The letters are the lecture's. The code uses them too, an index of a table being [c][w] and n_cw a variable ncw.
//
// # Formulas
//
//	affine score, argmax     cs440 lecture 16, "Linear Classifiers in General"             linear.go
//	prior pi_c               cs440 lecture 16, "Learning P(C = c)"                         prior.go
//	Bernoulli naive Bayes    cs440 lecture 16, "Feature = One Bit Per Document"            bernoulli.go
//	multinomial naive Bayes  cs440 lecture 16, "Feature = One Bit Per Word Token"          multinomial.go
//	n_cw                     cs440 lecture 16, "Two Different BoW Algorithms"              counts.go
//	majority class           none: the baseline that a classifier has to beat              majority.go
//
// cs440 lecture 16 is the file cs440-lecture16-linear-classifiers; a heading that comes more than once is told apart by
// what it is about. The lecture's counts are written without "in class c"; they are per class.
package models
