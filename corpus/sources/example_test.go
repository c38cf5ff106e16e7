package sources_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing/fstest"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/internal/termkey"
)

func ExampleOpenLabelled() {
	root, err := os.MkdirTemp("", "mail")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)
	for _, name := range []string{"cur/1001234567.a.h:2,S", "new/1001234568.b.h"} {
		os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o700)
		os.WriteFile(filepath.Join(root, name), []byte("Subject: gold\n\nBuy gold!\n"), 0o600)
	}
	mail, err := sources.OpenLabelled(root, sources.Options{Label: "spam"})
	if err != nil {
		log.Fatal(err)
	}
	skipped := 0
	var raw []byte
	for item, err := range mail.Source {
		if err == nil {
			raw, err = item.Read(raw)
		}
		if err != nil {
			skipped++ // the stream continues after an error
			continue
		}
		fmt.Println(item.Label, len(raw))
	}
	fmt.Println(skipped, "skipped")
	// Output:
	// spam 25
	// spam 25
	// 0 skipped
}

func Example() {
	folder := fstest.MapFS{
		"mail/1": {Data: []byte("Subject: tea\n\nCome to tea.\n")},
		"mail/2": {Data: []byte("Subject: gold\n\nBuy gold!\n")},
		"mail/3": {Data: []byte("Received: from afar\nSubject: tea\n\nCome to tea.\n")},
	}
	seen := map[uint64]string{}
	var raw []byte
	for item, err := range sources.FromFS(folder, "mail", "ham") {
		if err == nil {
			raw, err = item.Read(raw)
		}
		if err != nil {
			fmt.Println(err)
			continue
		}
		sum := corpus.Fingerprint(raw, termkey.Key{})
		if first, ok := seen[sum]; ok {
			fmt.Println(item.Origin, "is a copy of", first)
			continue
		}
		seen[sum] = item.Origin
		fmt.Println(item.Origin, item.Label, len(raw), "bytes")
	}
	// Output:
	// mail/1 ham 27 bytes
	// mail/2 ham 25 bytes
	// mail/3 is a copy of mail/1
}

func ExampleSplitOptions_ByHash() {
	split := corpus.DefaultSplitOptions()
	message := []byte("Subject: tea\n\nCome to tea.\n")
	copied := []byte("Received: from afar\nSubject: tea\n\nCome to tea.\n")
	const seed = 1
	_, one := corpus.Hashes(message, termkey.Key{})
	_, other := corpus.Hashes(copied, termkey.Key{})
	fmt.Println(split.ByHash(seed, one) == split.ByHash(seed, other))
	// Output: true
}
