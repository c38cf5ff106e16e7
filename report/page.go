package report

import "chaff/metrics"

// Page is the content of a report. Every part is optional; empty parts are left out.
type Page struct {
	Title, Subtitle string   // the heading, such as "chaff compare", and the line below it, such as a summary of the corpus
	Facts           []Fact   // below the heading
	Warnings        []string // why the figures are doubtful

	// Of is the model of the parts about a single model. On is the mail of the figures, such as "the test part".
	Of, On  string
	Classes []string // in the order of Confusion, Leak.Messages and TermPoint.Class

	Models []Model // the rows of the comparison, the best on development mail first
	ROC    []Curve // for each model: X is the share of ham called spam, Y the share of spam called spam, both 0..1
	// Operating has the errors at chosen thresholds. They are marked on the curves of their models.
	Operating []Operating
	Epochs    []EpochCurve    // of models with epochs
	Learning  []LearningCurve // the figures of a replay by the number of messages
	Growth    *Growth         // the accuracy by the size of the training part
	Trials    []Trial
	Strongest []ClassTerms // the terms with the largest weights for each class
	TwoTerms  *TwoTerms
	Leaks     []Leak
	Findings
	Evidence
}

// Findings are what the scores of a single model show.
type Findings struct {
	Scores      *metrics.Histogram       // of ham and spam
	Thresholds  *metrics.Thresholds      // drawn as lines on Scores
	Reliability []metrics.ReliabilityBin // predicted probabilities and observed shares
	Confusion   metrics.Confusion        // messages by true class (row) and given class (column)
	Drift       []Period                 // the accuracy over time
	// Mistakes are the worst mistakes, LeastCertain the messages nearest to the boundary, Suspects messages whose label may be wrong.
	Mistakes, LeastCertain, Suspects []Mistake
}

// Evidence is why a message has its score. For is the class of positive scores, Against that of negative ones.
type Evidence struct {
	Votes        []Vote    // the bias and the contributions of the kinds of evidence, whose sum is the score
	Bounded      bool      // what a kind of evidence adds has a bound
	Texts        []Text    // of the message, shaded by the contribution of each word
	Weighed      []Weighed // its terms, the strongest first
	For, Against string
	// TextLeft is the number of bytes missing from Texts, WeighedLeft the number of terms missing from Weighed.
	TextLeft, WeighedLeft int
}

// Fact is a name and its value.
type Fact struct{ Name, Value string }

// Model is a row of the comparison.
type Model struct {
	Name, Features string
	Best           bool // on development mail
	// Train, Development and Test are the figures of the three parts; nil for an empty part. Losses and the errors of a filter
	// are those of Test.
	Train, Development, Test *metrics.Figures
	// AgainstBest compares the errors on Test with those of the best; nil for the best itself.
	AgainstBest *metrics.McNemar
	Seconds     float64 // CPU time of training; 0 is left out
}

// Point is a point of a curve.
type Point struct{ X, Y float64 }

// Curve is a line with a name.
type Curve struct {
	Name   string
	Points []Point
}

// Operating is the errors of a spam filter at a threshold.
type Operating struct {
	Model            string
	Point            OperatingPoint
	Limit            float64 // the percentage that HamLimit and SpamLimit allow
	Threshold        float64 // the score above which a message is spam
	Ham, HamLost     int     // messages
	Spam, SpamMissed int
}

// OperatingPoint says why a threshold is shown.
type OperatingPoint int

const (
	SpamVerdict   OperatingPoint = iota // the model's threshold for the verdict spam
	UnsureVerdict                       // the model's threshold for the verdict unsure: unsure and spam are kept apart from ham
	HamLimit                            // the least spam missed at a limit of ham lost
	SpamLimit                           // the least ham lost at a limit of spam missed
)

// EpochCurve is the learning curve of a model with epochs, of which it kept the weights of one.
type EpochCurve struct {
	Model  string
	Epochs []Epoch
	Kept   int // 0 if unknown
}

// Epoch is the figures after an epoch, counted from 1. Losses are in the units of the trainer's own loss, accuracies are
// percentages. Nil is unknown.
type Epoch struct {
	Epoch                              int
	TrainLoss, DevelopmentLoss         *float64
	TrainAccuracy, DevelopmentAccuracy *float64
}

// LearningCurve is the figures of a model during a replay.
type LearningCurve struct {
	Model  string
	Points []metrics.LearningPoint
}

// Growth is the accuracy of a model on the test part by the number of messages it was trained on, the smallest number first. Advice says
// in a sentence or two whether more mail would help; it may be empty.
type Growth struct {
	Model  string
	Points []GrowthPoint
	Advice string
}

// GrowthPoint is a point of Growth: the number of messages trained on, and the errors and the accuracy on the test part, a percentage
// with its 95% interval.
type GrowthPoint struct {
	Messages, Errors                    int
	Accuracy, AccuracyLow, AccuracyHigh float64
}

// ClassTerms are the terms with the largest weights for a class.
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

// Mistake is a message that was misclassified, or nearly.
type Mistake struct {
	Path, Subject string // Subject may name the sender too
	Score         float64
	Probability   *float64 // of spam, and of the given class if the classes are not ham and spam, 0..1; nil if unknown
	True, Given   string   // the label, and the class or verdict that the model gave
	Terms         []Contribution
}

// Contribution is the contribution of a term to a score.
type Contribution struct {
	Term  string
	Score float64
}

// Leak is a term that an archive, a relay or a filter may have added to the messages of one class.
type Leak struct {
	Term         string
	Messages, Of []int // of each class: the messages with the term, and all messages
	Advice       string
}

// Period is the accuracy on the messages of one or more months.
type Period struct {
	From, To string // the first and the last month, such as "2003-02"; To is empty for one month
	Messages int
	// Accuracy is a percentage, with its 95% interval.
	Accuracy, AccuracyLow, AccuracyHigh float64
}

// TwoTerms shows messages as points in the plane of two terms, and the decision boundary as a line.
type TwoTerms struct {
	Model      string
	X, Y, Unit string // the two terms, and the unit of both axes: "occurrences", or "0 or 1"
	Points     []TermPoint
	// A*x + B*y + C = 0 is the boundary. A and B are weights, C is the sum of all other parts of the score.
	A, B, C float64
}

// TermPoint is a number of messages of a class at one point. Class is an index of Page.Classes.
type TermPoint struct {
	X, Y     float64
	Class    int
	Messages int
}

// Trial is a trial of tuning.
type Trial struct {
	Settings    []Fact           // those that differ between trials
	Development *metrics.Figures // the figures on development mail, or over folds; nil if the trial failed
	Best        bool
	Note        string // for example, why the trial stopped
}
