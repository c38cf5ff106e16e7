package train_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

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
	trained, err := train.Fit(ctx, mail, "softmax", train.DefaultOptions()) // fitted to the training part
	if err != nil {
		fmt.Println(err)
		return
	}
	f, refitted, err := mail.Refit(ctx, trained, train.DefaultOptions()) // fitted to all the mail
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	fmt.Println(refitted.Messages, f.Save(filepath.Join(dir, "spam.model")))
	// Output: 120 <nil>
}
