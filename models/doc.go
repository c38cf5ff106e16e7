// Package models has the linear form that every classifier ends in, and the trainers that make it.
//
// A [Trainer] turns a features.Dataset into a [Linear], which classifies, explains and is stored in the model file:
//
//	trainer, kind, err := models.DefaultOptions().New("bernoulli", 1)
//	linear, report, err := trainer.Train(ctx, dataset, models.EpochOptions{}) // dataset.Kind is kind
//	class := linear.Predict(vector)
//
// A Linear has one weight for each term and row, and sums their products with the features of a document. With a [Form] it
// bounds the sums of groups of terms.
//
// The settings of a trainer are the exported fields of the struct that implements it; Train validates them. Trainers leave the
// data set unchanged. The same data set and settings give the same Linear to the last bit, wherever math.Log rounds alike.
// Scores of the same Linear are the same everywhere, since the product of two float32 is exact in float64.
//
// Linear is immutable, and safe for concurrent use. So are trainers, which hold settings only.
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
//	alpha_cw    weight of term w for class c
//	beta_c      bias of class c
//
// The letters are the lecture's. The code uses them too, with n_cw as ncw.
//
// Of perceptrons and gradient descent:
//
//	t           target of a document: +1 for the class of a row of weights, else -1
//	z           score, w . f + b
//	eta_n       learning rate of step n
//	R, gamma    longest document, and margin of weights that separate
//
// Of bounded votes:
//
//	g           group of evidence of a term
//	s_g         sum of a_w f_w over the terms of group g
//	K           bound of a sum: K tanh(s / K)
//	m           member, a part of the score that learns by itself; z_m is its sum, b_m its bias
//	eps         probability that a label is wrong
//
// # Formulas
//
//	affine score, argmax     cs440 lecture 16, "Linear Classifiers in General"             linear.go
//	bounded score            none                                                          form.go
//	prior pi_c               cs440 lecture 16, "Learning P(C = c)"                         counts.go
//	Bernoulli naive Bayes    cs440 lecture 16, "Feature = One Bit Per Document"            bernoulli.go
//	multinomial naive Bayes  cs440 lecture 16, "Feature = One Bit Per Word Token"          multinomial.go
//	n_cw                     cs440 lecture 16, "Two Different BoW Algorithms"              counts.go
//	perceptron               cs440 lecture 16, "Perceptron"; collins; mlcourse; grosse 4   perceptron.go
//	learning rates, starts   cs440 lecture 16, "Implementation details"                    steps.go
//	averaged perceptron      Freund, Schapire, Machine Learning 37, 1999                   steps.go
//	convergence, the bound   collins, "The Perceptron Convergence Theorem"; mlcourse       perceptron.go
//	multi-class perceptron   cs440 lecture 16, "Multi-class perceptrons"                   multiclassperceptron.go
//	differentiable           cs440 lecture 16, "Differentiable Perceptron"                 tanh.go
//	least mean squares       cs446 lecture 4, "Least Mean Square Error"                    lms.go
//	gradient descent         cs446 lecture 4, "Gradient descent (batch)", and stochastic   gradient.go
//	softmax regression       cs440 lecture 16, "Differentiable Multi-Class Perceptron"     softmax.go
//	its steps                McMahan et al., KDD 2013; McMahan, AISTATS 2011               ftrl.go
//	passive-aggressive       Crammer et al., JMLR 7, 2006                                  passiveaggressive.go
//	votes, the default       Raina, Shen, Ng, McCallum, NIPS 2003                          votes.go
//	its steps, AdaGrad       Duchi, Hazan, Singer, JMLR 12, 2011                           votes.go
//	its loss, wrong labels   Mnih, Hinton, ICML 2012                                       votes.go
//	its runs of four bytes   Cormack, TREC 2007                                            votes.go
//	memoriser                collins, "What Kind of Solution would Suffice?"               memoriser.go
//	majority class           none: the baseline that a classifier has to beat              majority.go
//
// cs440 lecture 16 is the file cs440-lecture16-linear-classifiers, cs446 lecture 4 cs446-lecture4-linear-classifiers, grosse
// grosse-lecture3-linear-classification, collins collins-linear-classifiers, mlcourse mlcourse-perceptron. The lecture's counts
// are per class, though it writes them without "in class c". The notes disagree on a document with the score 0: training
// takes it for a mistake (grosse), and classifying takes it for the first class, since losing ham costs more. The table of
// models is in options.go.
//
// # Learned state
//
// [Options.NewOnline] makes an [Online] learner of any model but those of batch methods, which learns one document after the other, and
// training ends with one, [Report.Learned]. What it knows can be saved term by term or at once, restored, and turned into a
// Linear. Naive Bayes learns sums by class and term (counts.go), of which its models are pure functions; it can also forget.
//
// # Training in epochs
//
// Many trainers read the training part several times. One driver (epochs.go) orders the documents, measures each epoch, and stops: when a
// pass changes nothing, or with an error that names the setting to lower when the loss grows. These trainers take bits or counts,
// L2-normalised or not; votes takes evidence.
//
// All trainers take any number of classes. Where the formula is for two, each of more classes has a row of weights of its own
// against all others; the multi-class perceptron, softmax regression and naive Bayes have a formula for any number.
package models
