// Package evaluate runs experiments on labelled mail: it compares models, cross-validates them, replays mail in the order of its
// delivery, searches for settings, reviews mistakes, finds leaks, and computes decision boundaries.
//
// Package train fits the models and measures them on one split; this package asks more of them.
package evaluate
