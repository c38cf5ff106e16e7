// Package sample is a small corpus of made-up mail, ham and spam, that is part of
// the program: for the demonstration, for examples and for tests. The messages are
// invented, down to the addresses; what each is there for stands in the manifests
// beside them, mail/manifest-ham.txt and mail/manifest-spam.txt.
//
//	for item, err := range sample.Source() { ... }
//	raw, err := sample.Message("ham/NAME.eml")
package sample

import (
	"embed"
	"fmt"
	"io/fs"

	"chaff/corpus"
	"chaff/corpus/sources"
)

//go:embed mail
var mail embed.FS

// Source lists all messages, those of the class "ham" before those of the class
// "spam", each class sorted by name. The origin of an item is the name that
// Message takes; the items have no time.
func Source() corpus.Source {
	return func(yield func(corpus.Item, error) bool) {
		for _, class := range []string{"ham", "spam"} {
			for item, err := range sources.FromFS(messages(), class, class) {
				if !yield(item, err) {
					return
				}
			}
		}
	}
}

// Message returns the message of the given name, such as "spam/NAME.eml":
// its class and its file. If there is none, the error wraps fs.ErrNotExist.
func Message(name string) ([]byte, error) {
	raw, err := fs.ReadFile(messages(), name)
	if err != nil {
		return nil, fmt.Errorf("read sample message %q: %w", name, fs.ErrNotExist)
	}
	return raw, nil
}

// messages is the folder of the two classes.
func messages() fs.FS {
	sub, err := fs.Sub(mail, "mail")
	if err != nil {
		panic(err) // "mail" is a valid path
	}
	return sub
}
