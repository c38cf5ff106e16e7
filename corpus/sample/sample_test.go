package sample_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/internal/termkey"
	"chaff/test/corpustest"
)

var classes = [...]string{"ham", "spam"}

// read reads all messages, by name.
func read(t testing.TB) (names []string, mail map[string][]byte) {
	t.Helper()
	mail = map[string][]byte{}
	for item, raw := range corpustest.Each(t, sample.Source()) {
		if !strings.HasPrefix(item.Origin, item.Label+"/") || !item.Time.IsZero() {
			t.Errorf("%s has label %q and time %v", item.Origin, item.Label, item.Time)
		}
		names = append(names, item.Origin)
		mail[item.Origin] = raw
	}
	return names, mail
}

func TestThereIsEnoughOfEachClass(t *testing.T) {
	names, mail := read(t)
	if len(names) < 290 || len(mail) != len(names) {
		t.Errorf("got %d messages with %d names, want at least 290", len(names), len(mail))
	}
	count := map[string]int{}
	for _, name := range names {
		class, _, _ := strings.Cut(name, "/")
		count[class]++
		if !strings.HasSuffix(name, ".eml") {
			t.Errorf("%s is no .eml file", name)
		}
	}
	for _, class := range classes {
		if count[class] < 120 {
			t.Errorf("got %d messages of %s, want at least 120", count[class], class)
		}
	}
	for i := 1; i < len(names); i++ {
		if names[i-1] >= names[i] {
			t.Errorf("%s comes before %s", names[i-1], names[i])
		}
	}
}

func TestTheManifestsNameEveryMessage(t *testing.T) {
	_, mail := read(t)
	listed := map[string]bool{}
	for _, class := range classes {
		manifest, err := os.ReadFile("mail/manifest-" + class + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(manifest)) {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			file, about, _ := strings.Cut(line, "\t")
			name := class + "/" + strings.TrimPrefix(file, class+"/")
			switch {
			case listed[name]:
				t.Errorf("%s is in the manifest twice", name)
			case mail[name] == nil:
				t.Errorf("%s is in the manifest, but there is no such message", name)
			case strings.TrimSpace(about) == "":
				t.Errorf("the manifest does not say what %s is for", name)
			}
			listed[name] = true
		}
	}
	for name := range mail {
		if !listed[name] {
			t.Errorf("%s is not in the manifest", name)
		}
	}
	if len(listed) == 0 {
		t.Error("the manifests are empty")
	}
}

func TestNoMessageIsThereTwice(t *testing.T) {
	names, mail := read(t)
	seen := map[uint64]string{}
	for _, name := range names {
		sum := corpus.Fingerprint(mail[name], termkey.Key{})
		if first, ok := seen[sum]; ok {
			t.Errorf("%s is a copy of %s", name, first)
		}
		seen[sum] = name
	}
	if len(seen) == 0 {
		t.Error("there are no messages")
	}
}

func TestMessage(t *testing.T) {
	names, mail := read(t)
	if len(names) == 0 {
		t.Fatal("there are no messages")
	}
	for _, name := range names {
		raw, err := sample.Message(name)
		if err != nil || !bytes.Equal(raw, mail[name]) {
			t.Errorf("%s: got %d bytes, %v, want the %d bytes that Source gives", name, len(raw), err, len(mail[name]))
		}
		// A checkout that converts line ends would change what the tests see.
		onDisk, err := os.ReadFile("mail/" + name)
		if err != nil || !bytes.Equal(raw, onDisk) {
			t.Errorf("%s: the embedded message is not the file: %v", name, err)
		}
	}
	for _, name := range []string{"ham/no.eml", "", "../sample.go", "ham"} {
		if raw, err := sample.Message(name); err == nil {
			t.Errorf("%q: got %d bytes, want an error", name, len(raw))
		}
	}
}

func Example() {
	classes := map[string]bool{}
	for item, err := range sample.Source() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		classes[item.Label] = true
	}
	fmt.Println(len(classes), classes["ham"], classes["spam"])
	// Output: 2 true true
}
