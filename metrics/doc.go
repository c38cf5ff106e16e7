// Package metrics computes figures from scores, predictions and true labels.
//
// [Measure] returns the [Figures] of any classifier. [Figures.MeasureSpam] adds those of the TREC spam track, and
// [Figures.MeasureScores] those of the scores and of the probabilities that a [Calibration] makes of them. [Calibrate] fits a
// calibration to development mail. [ChooseThresholds] chooses the scores at which the verdict changes, by limits or by costs.
// [CompareErrors] tests whether two classifiers differ by more than chance. [Margins.ErrorCurve] returns data for a plot.
//
// Parallel slices (labels and predictions, scores and spam) have one entry for each message. K scores or probabilities of each
// message are in one slice, N x K row by row: those of message i are scores[i*K : (i+1)*K]. Functions panic if lengths differ or
// a label is outside 0..K-1. Scores are finite.
//
// No figure is NaN. A figure that is not defined, such as the share of spam let through without any spam, has a second
// result that is false, or is a nil pointer in [Figures].
//
// Sources of the formulas:
//
//	0-1 loss, empirical risk     cs446-lecture4-linear-classifiers, "0-1 Loss", "The empirical risk of f(x)"
//	square loss                  cs446-lecture4-linear-classifiers, "Square Loss"
//	log loss                     I. J. Good: Rational Decisions (J. R. Stat. Soc. B 14, 1952)
//	Brier's score                G. W. Brier: Verification of Forecasts Expressed in Terms of Probability (Monthly Weather
//	                             Review 78, 1950)
//	calibration                  J. Platt: Probabilistic Outputs for Support Vector Machines and Comparisons to
//	                             Regularized Likelihood Methods (Advances in Large Margin Classifiers, 1999)
//	                             H.-T. Lin, C.-J. Lin, R. C. Weng: A Note on Platt's Probabilistic Outputs for Support
//	                             Vector Machines (Machine Learning 68, 2007)
//	reliability                  A. Niculescu-Mizil, R. Caruana: Predicting Good Probabilities with Supervised Learning
//	                             (ICML 2005); C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger: On Calibration of Modern
//	                             Neural Networks (ICML 2017)
//	calibration error            M. P. Naeini, G. F. Cooper, M. Hauskrecht: Obtaining Well Calibrated Probabilities Using
//	                             Bayesian Binning (AAAI 2015)
//	two models on one test       Q. McNemar: Note on the Sampling Error of the Difference Between Correlated Proportions
//	                             or Percentages (Psychometrika 12, 1947)
//	precision, recall, F1        C. J. van Rijsbergen: Information Retrieval (1979)
//	hm%, sm%, lam%, (1-ROCA)%    G. V. Cormack, T. R. Lynam: TREC 2005 Spam Track Overview (NIST SP 500-266)
//	interval of a share          E. B. Wilson: Probable Inference, the Law of Succession, and Statistical Inference (JASA 22, 1927)
//	upper bound of a share       C. J. Clopper, E. S. Pearson: The Use of Confidence or Fiducial Limits Illustrated in the
//	                             Case of the Binomial (Biometrika 26, 1934)
//	thresholds by costs          F. Tortorella: An Optimal Reject Rule for Binary Classifiers (SSPR/SPR 2000, LNCS 1876);
//	                             SpamBayes, Options.py, best_cutoff_fp_weight, best_cutoff_fn_weight,
//	                             best_cutoff_unsure_weight
//	ROC curve                    T. Fawcett: An Introduction to ROC Analysis (Pattern Recognition Letters 27, 2006)
//	area under the ROC curve     H. B. Mann, D. R. Whitney: On a Test of Whether One of Two Random Variables is
//	                             Stochastically Larger than the Other (Ann. Math. Stat. 18, 1947)
//
// All functions are safe for concurrent use. They keep none of their arguments and change only the dst of
// [Calibration.Probabilities].
package metrics
