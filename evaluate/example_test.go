package evaluate_test

import (
	"context"
	"fmt"

	"chaff/evaluate"
	"chaff/test/corpustest"
	"chaff/train"
)

func Example() {
	ctx, source := context.Background(), corpustest.Mailbox(1, 60, "ham", "spam")
	mail, err := train.Collect(ctx, source, []string{"ham", "spam"}, train.DefaultCollectOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	compared, _, err := evaluate.Compare(ctx, mail, []string{"multinomial", "majority"}, train.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	best := compared[0].Result // best.Test has the figures on the test part
	fmt.Println(best.Model, best.Test.Accuracy > 90)
	// Output: multinomial true
}
