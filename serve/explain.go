package serve

import (
	"cmp"
	"math"
	"slices"

	"chaff/filter"
)

// explain explains the verdict of the shared model, or of it and the model of a user. The contributions of a term to both scores are added.
func explain(shared *filter.Filter, user *userModel, raw []byte) (filter.Explanation, error) {
	e, err := shared.Explain(raw)
	if err != nil || user == nil {
		return e, err
	}
	own, err := user.filter.Explain(raw)
	if err != nil {
		return e, err
	}
	e.Classification, _ = shared.ClassifyWith(user.filter, user.offset, raw)
	e.Margin += own.Margin - user.offset
	e.Bias += own.Bias - user.offset
	at := make(map[string]int, len(e.Contributions))
	for i, c := range e.Contributions {
		at[c.Term] = i
	}
	for _, c := range own.Contributions {
		i, known := at[c.Term]
		if !known {
			e.Contributions = append(e.Contributions, c)
			continue
		}
		e.Contributions[i].Contribution += c.Contribution
		e.Contributions[i].Messages += c.Messages
	}
	slices.SortStableFunc(e.Contributions, func(a, b filter.Contribution) int {
		return cmp.Compare(math.Abs(b.Contribution), math.Abs(a.Contribution))
	})
	for _, v := range own.Votes {
		i := slices.IndexFunc(e.Votes, func(x filter.Vote) bool { return x.Group == v.Group })
		if i < 0 {
			e.Votes = append(e.Votes, filter.Vote{Group: v.Group})
			i = len(e.Votes) - 1
		}
		e.Votes[i].Contribution += v.Contribution
		e.Votes[i].Terms = max(e.Votes[i].Terms, v.Terms)
	}
	unknown := make(map[string]bool, len(own.UnknownTerms))
	for _, term := range own.UnknownTerms {
		unknown[term] = true
	}
	e.UnknownTerms = slices.DeleteFunc(e.UnknownTerms, func(term string) bool { return !unknown[term] })
	return e, nil
}
