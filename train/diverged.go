package train

import (
	"context"
	"errors"
	"fmt"

	"chaff/corpus"
	"chaff/models"
)

// A learning rate is divided by rateDivisor, at most rateTries times.
const (
	rateDivisor = 10
	rateTries   = 6
)

// WhyDiverged returns what to do about a model whose training diverged. It tries lower learning rates: only if one of them does not
// diverge is the rate the cause.
func (o Options) WhyDiverged(ctx context.Context, c *Collection, model string) (string, error) {
	o.Epoch = nil
	lower := o
	for range rateTries {
		lower.Models = lower.Models.WithShorterSteps(rateDivisor)
		trainer, kind, err := lower.Models.New(model, c.options.Seed)
		if err != nil {
			return "", err
		}
		_, _, err = lower.Train(ctx, trainer, model, c.Dataset(corpus.Train, kind), nil)
		if err == nil {
			return fmt.Sprintf("the learning rate is too high; --set %s does not diverge", lower.Models.LearningRate(model)), nil
		}
		if !errors.Is(err, models.ErrDiverged) {
			return "", err
		}
	}
	return fmt.Sprintf("a lower learning rate does not help, %s diverges too; check the labels and class_weights", lower.Models.LearningRate(model)), nil
}
