// Package metrics turns scores, predictions and true labels into figures.
//
// It takes plain slices and imports no other room. [Measure] gives the [Figures] of any classifier from its predictions;
// [Figures.MeasureSpam] adds those of the TREC spam track, which a spam filter's scores are needed for.
// [ChooseThresholds] turns scores on development mail into the two scores at which a verdict changes.
//
// Two slices that go together (labels and predictions, scores and spam) have one entry per message in the same order.
// Different lengths, and a label outside 0..K-1, are a programmer's mistake and panic. Scores are finite, as those of a
// valid models.Linear are.
//
// No figure is ever NaN. What cannot be computed, such as the share of spam let through when there is no spam, is said
// to be not defined: a second result is false, or a pointer in [Figures] is nil.
//
// Sources of the formulas, each named again where it is computed:
//
//	0-1 loss, empirical risk     cs446-lecture4-linear-classifiers, "0-1 Loss", "The empirical risk of f(x)"
//	hm%, sm%, lam%, (1-ROCA)%    G. V. Cormack, T. R. Lynam: TREC 2005 Spam Track Overview (NIST SP 500-266)
//	interval of a share          E. B. Wilson: Probable Inference, the Law of Succession, and Statistical Inference (JASA 22, 1927)
//	area under the ROC curve     H. B. Mann, D. R. Whitney: On a Test of Whether One of Two Random Variables is
//	                             Stochastically Larger than the Other (Ann. Math. Stat. 18, 1947)
//
// All functions are pure and safe for concurrent use; none keeps or changes a slice it is given.
package metrics
