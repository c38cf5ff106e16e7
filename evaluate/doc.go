// Package evaluate runs experiments on labelled mail: it compares models, cross-validates them, replays mail in the order of delivery,
// searches for settings, reviews mistakes, finds leaks, and computes decision boundaries.
//
//	compared, _, err := evaluate.Compare(ctx, mail, []string{"multinomial", "majority"}, train.DefaultOptions())
//	best := compared[0].Result // best.Test has the figures on the test part
//
// Package train fits the models and measures them on one split.
package evaluate
