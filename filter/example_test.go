package filter_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"chaff/features"
	"chaff/filter"
	"chaff/filter/weights"
)

// saved returns the path of a model with one term.
func saved(dir string) (path string, err error) {
	w, err := weights.Read(strings.NewReader("term,weight\nbody:buy,2\n"))
	if err != nil {
		return "", err
	}
	f, err := w.Filter(filter.DefaultReading(), features.Bits)
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "spam.model")
	return path, f.Save(path)
}

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path, err := saved(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := filter.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := f.Classify([]byte("Subject: offer\n\nBuy now"))
	fmt.Println(c.Verdict) // ham, unsure or spam
	// Output: spam
}
