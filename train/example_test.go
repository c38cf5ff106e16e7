package train_test

import (
	"chaff/corpus/corpustest"
	"chaff/train"
	"context"
	"fmt"
)

func Example() {
	source := corpustest.Mailbox(1, 60, "ham", "spam")
	mail, err := train.Collect(context.Background(), source, []string{"ham", "spam"}, train.DefaultCollectOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	trained, err := train.Fit(context.Background(), mail, "multinomial", train.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(trained.Filter.Classify([]byte("Subject: spama\n\nspamb spamc spamd")).Class)
	// Output: spam
}
