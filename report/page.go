package report

import "chaff/metrics"

// Page is what a report shows. Every part is optional: what is empty is left out.
type Page struct {
	// Title is the heading, such as "chaff compare", and Subtitle the line below it, such as a summary of the corpus.
	Title, Subtitle string
	// Facts are listed below the heading: messages, split, seed, version.
	Facts []Fact
	// Warnings are what makes the figures doubtful.
	Warnings []string

	// Of is the model that the parts about a single model are about, and On the mail that figures were measured on, such as
	// "the test part".
	Of, On string

	// Models are the rows of the comparison, the best on development mail first.
	Models []Model
	// ROC has a curve for each model: X is the share of ham called spam, Y the share of spam called spam, both 0..1.
	ROC []Curve
	// DET has a curve for each model: X is the share of ham called spam, Y the share of spam let through, both 0..1.
	DET []Curve
	// Epochs are the learning curves of models that are trained in epochs.
	Epochs []EpochCurve
	// Learning are the figures after so many messages learnt.
	Learning []LearningCurve
	// Scores are the scores of ham and spam.
	Scores *Histogram
	// Reliability says for which probabilities how many predictions came true.
	Reliability []metrics.ReliabilityBin
	// Confusion counts messages by true class (row) and given class (column).
	Confusion metrics.Confusion
	// Classes are the names of the classes, in the order of Confusion, Leak.Messages and TermPoint.Class.
	Classes []string
	// Drift is the accuracy by month, in the order of time.
	Drift []Month
	// Trials are what tuning tried.
	Trials []Trial

	// Strongest are the terms that speak most for each class.
	Strongest []ClassTerms
	// TwoTerms is the picture of two terms as axes.
	TwoTerms *TwoTerms
	// Leaks are terms that may come from elsewhere than the senders.
	Leaks []Leak
	// Texts are the texts of a message, shaded by what its words add to the score, and Weighed its terms, the strongest first.
	// For and Against are the classes that a positive and a negative score speak for.
	Texts   []Text
	Weighed []Weighed
	// TextLeft is how many bytes of the texts, and WeighedLeft how many terms, are not among these.
	TextLeft, WeighedLeft int
	For, Against          string
	// Mistakes are the worst mistakes, LeastCertain the messages nearest to the boundary, and Suspects those whose label may
	// be wrong.
	Mistakes, LeastCertain, Suspects []Mistake
}

// Fact is a name and its value.
type Fact struct{ Name, Value string }

// Model is a row of the comparison.
type Model struct {
	// Name is the model's name, Features the kind of features it has, such as "normalised bits".
	Name, Features string
	// Best is true for the best on development mail.
	Best bool
	// Train, Development and Test are the figures of the three parts; nil if there is no such part. Losses and the errors of
	// a filter are shown of Test only.
	Train, Development, Test *metrics.Figures
	// AgainstBest compares the errors on Test with those of the best; nil for the best itself.
	AgainstBest *metrics.McNemar
	// Seconds is the CPU time of training; 0 is left out.
	Seconds float64
}

// Point is a point of a curve.
type Point struct{ X, Y float64 }

// Curve is a line with a name.
type Curve struct {
	Name   string
	Points []Point
}

// EpochCurve is how the training of a model went.
type EpochCurve struct {
	Model  string
	Epochs []Epoch
}

// Epoch is what was known after an epoch.
type Epoch struct {
	// Epoch counts from 1.
	Epoch int
	// TrainLoss and DevelopmentLoss are in the units of the trainer's own loss; nil if not known.
	TrainLoss, DevelopmentLoss *float64
	// TrainAccuracy and DevelopmentAccuracy are percentages, 0..100; nil if not known.
	TrainAccuracy, DevelopmentAccuracy *float64
}

// LearningCurve is how the figures of a model changed as it learnt.
type LearningCurve struct {
	Model  string
	Points []LearningPoint
}

// LearningPoint are the figures after Messages were learnt, as percentages 0..100; nil where they are not defined. See
// [metrics.Figures].
type LearningPoint struct {
	Messages                  int
	OneMinusROCA, LAM, HM, SM *float64
}

// Histogram counts the scores of ham and of spam. Bin i is from Edges[i] to Edges[i+1], so there is one edge more than there
// are bins.
type Histogram struct {
	Edges     []float64
	Ham, Spam []int
	// Thresholds are drawn as lines; nil if there are none.
	Thresholds *metrics.Thresholds
}

// ClassTerms are the terms that speak for a class, the strongest first.
type ClassTerms struct {
	Class string
	Terms []Term
}

// Term is a term with its weight, in the units of the score, and the number of training messages that have it.
type Term struct {
	Text     string
	Weight   float64
	Messages int
}

// Mistake is a message that was misjudged, or nearly.
type Mistake struct {
	// Path says where the message is.
	Path, Subject string
	// Score is that of the model.
	Score float64
	// Probability is that of the given class, 0..1; nil if not known.
	Probability *float64
	// True is the label, Given the class or verdict that the model gave.
	True, Given string
	// Terms are those that did it, the strongest first.
	Terms []Contribution
}

// Contribution is what a term adds to the score.
type Contribution struct {
	Term  string
	Score float64
}

// Leak is a term that an archive, a relay or a filter may have put into the messages of one class.
type Leak struct {
	Term string
	// Messages counts, for each class, the messages that have the term, and Of all messages.
	Messages, Of []int
	// Advice says what to do.
	Advice string
}

// Month is the accuracy on the messages of a month, or of another span of time.
type Month struct {
	// Label is the month, such as "2003-02".
	Label    string
	Messages int
	// Accuracy is a percentage, 0..100.
	Accuracy float64
}

// TwoTerms shows messages as points in the plane of two terms, and the model as a line.
type TwoTerms struct {
	// Model is the model that has the line.
	Model string
	// X and Y are the two terms, Unit is that of both axes: "occurrences", or "0 or 1".
	X, Y, Unit string
	Points     []TermPoint
	// A, B and C are the boundary: A*x + B*y + C = 0. A and B are weights, C is the bias and what else is fixed.
	A, B, C float64
}

// TermPoint is where so many messages of a class lie. Class is an index of Page.Classes.
type TermPoint struct {
	X, Y     float64
	Class    int
	Messages int
}

// Trial is one try of tuning.
type Trial struct {
	// Settings are those that differ between trials. The table has a column for each name.
	Settings []Fact
	// Development are the figures on development mail, or over folds; nil if the trial failed.
	Development *metrics.Figures
	// Best is true for the best trial.
	Best bool
	// Note says what else there is to know, such as why the trial was stopped.
	Note string
}
