// Package sample embeds a small corpus of invented ham and spam for the demonstration, examples and tests. The manifests
// mail/manifest-ham.txt and mail/manifest-spam.txt say what each message is for.
//
//	for item, err := range sample.Source() {
//		// item.Origin is the name that Message takes
//	}
package sample

import (
	"embed"
	"io/fs"

	"chaff/corpus"
	"chaff/corpus/sources"
)

//go:embed mail
var mail embed.FS

var messages, _ = fs.Sub(mail, "mail") // no error: the path is valid

// Source lists all messages, ham before spam, each class sorted by name. The origin of an item is the name that Message
// takes. Items have no time.
func Source() corpus.Source {
	return corpus.Concat(sources.FromFS(messages, "ham", "ham"), sources.FromFS(messages, "spam", "spam"))
}

// Message returns the message with the given name, such as "spam/NAME.eml".
func Message(name string) ([]byte, error) { return fs.ReadFile(messages, name) }
