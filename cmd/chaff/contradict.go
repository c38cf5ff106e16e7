package main

import (
	"context"
	"fmt"

	"chaff/corpus"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/store"
)

// A model that is taught a folder of the wrong class is spoilt, and the user finds out days later. So many messages are judged before they are
// learned. The filter is sure of the other class (store.sure, 99%) in four of five messages of a wrong folder, or more: 81 to 99% of held-out
// mail. Of a folder that holds nothing but its own mistakes and unsure verdicts, it is sure of the other class in one of seven, or fewer: 12 of
// 88 ham and 0 of 555 spam of Enron, 1 of 10 and 1 of 82 of SpamAssassin. Half lies between them. Fewer than ten messages may all be such
// mistakes, and are soon taken back.
const fewest, mostShare = 10, 0.5

// checkContradictions returns how many of the messages contradict the filter, and an error if most do and the user has not confirmed them.
func (p *program) checkContradictions(ctx context.Context, s *store.Store, messages []listing, x *learning) (int, error) {
	if len(messages) < fewest {
		return 0, nil
	}
	step, done := p.progress("judging")
	contradicting, judged, err := countContradictions(ctx, s, messages, x, step)
	done()
	if err != nil || contradicting == 0 {
		return contradicting, err
	}
	undo := "chaff learn --forget with the same paths undoes it"
	if x.spam || x.ham {
		undo = fmt.Sprintf("chaff learn --%s or --forget with the same paths undoes it", map[bool]string{true: "ham", false: "spam"}[x.spam])
	}
	line := fmt.Sprintf("%d of %d contradict the filter, which is sure of another class", contradicting, judged)
	if judged < fewest || float64(contradicting) <= mostShare*float64(judged) || x.yes {
		if !p.quiet {
			screen.Printf(p.stderr, "chaff: %s: %s\n", line, undo)
		}
		return contradicting, nil
	}
	return contradicting, hint.With(fmt.Errorf("nothing was learned: %s", line), "check the flag and the paths; --yes learns them all the same, and "+undo)
}

// countContradictions judges the messages that can be read and are not large.
func countContradictions(ctx context.Context, s *store.Store, messages []listing, x *learning, step func(int, int)) (contradicting, judged int, err error) {
	raw := make([]byte, 0, 1<<10) // with it, the message on stdin can be read again
	for i, listed := range messages {
		if err := ctx.Err(); err != nil {
			return contradicting, judged, err
		}
		if step != nil {
			step(i+1, len(messages))
		}
		if listed.err != nil {
			continue
		}
		raw, err = listed.Read(raw)
		if err != nil || len(raw) > corpus.LargeMessageBytes {
			continue // to learn it says why
		}
		taught, err := x.unwrap(listed.Item, raw)
		if err != nil {
			continue
		}
		for _, one := range taught {
			contradicts, err := s.Contradicts(one, listed.Label)
			if err != nil {
				return contradicting, judged, err
			}
			if judged++; contradicts {
				contradicting++
			}
		}
	}
	return contradicting, judged, nil
}
