package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chaff/corpus/sample"
	"chaff/store"
	"chaff/train"
)

func TestAMessageIsLearnedAndForgotten(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	err := store.Begin(t.Context(), model, []string{"ham", "spam"}, "multinomial", train.DefaultCollectOptions(), train.DefaultOptions(), store.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := sample.Message("ham/03-review-3391.eml")
	if err != nil {
		t.Fatal(err)
	}
	bare := filepath.Join(t.TempDir(), "bare")
	if err := os.WriteFile(bare, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name     string
		args     string
		message  string
		code     int
		stderr   string
		messages int // in the store, afterwards
	}{
		{"a message is learned", "--spam -m " + model, string(raw), 0, "", 1},
		{"a message that is known is learned once", "--spam -m " + model, string(raw), 0, "", 1},
		{"a message moves to another class", "--class ham --model-file " + model, string(raw), 0, "", 1},
		{"a message is forgotten", "--forget -m " + model, string(raw), 0, "", 0},
		{"what was never learned cannot be forgotten", "--forget -m " + model, string(raw), 1, "the message is refused: never learned", 0},
		{"a class that the model does not have", "--class work -m " + model, string(raw), 1, "has no class work: it has ham, spam", 0},
		{"no message", "--ham -m " + model, "", 1, "there is no message: stdin is empty", 0},
		{"nothing to do", "-m " + model, string(raw), 1, "say one of --spam, --ham, --class NAME and --forget", 0},
		{"two things to do", "--spam --ham -m " + model, string(raw), 1, "say one of", 0},
		{"no path of a model, as without a home", "--spam --model-file=", string(raw), 75, "a variable such as HOME may not be set", 0},
		{"a path", "--spam -m " + model + " message.eml", string(raw), 1, "chaff-learn reads one message from stdin", 0},
		{"a flag without its value", "--spam -m", string(raw), 1, "chaff: -m needs a value", 0},
		{"a misspelt flag", "--span -m " + model, string(raw), 1, "unknown flag --span: did you mean --spam?", 0},
		{"no model and no log", "--spam -m " + model + "x", string(raw), 75, "there is no model " + model + "x\nchaff: hint: begin with the mail you have: chaff train -m " + model + "x ~/Maildir", 0},
		{"a model without a log", "--spam -m " + bare, string(raw), 75, "the model has no log\nchaff: hint: chaff restore --replace makes", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			code := run(context.Background(), strings.Fields(tt.args), nil, strings.NewReader(tt.message), &stdout, &stderr)
			if code != tt.code || !strings.Contains(stderr.String(), tt.stderr) || tt.stderr == "" && stderr.Len() > 0 {
				t.Errorf("code %d, stderr %q; want %d, %q", code, stderr.String(), tt.code, tt.stderr)
			}
			if stdout.Len() > 0 {
				t.Errorf("it prints %q", stdout.String())
			}
			v, err := store.Look(model)
			if err != nil || len(v.Entries()) != tt.messages {
				t.Errorf("the store has %d messages, %v; want %d", len(v.Entries()), err, tt.messages)
			}
		})
	}
}

func TestHelpListsEveryFlag(t *testing.T) {
	var stdout, stderr strings.Builder
	if code := run(context.Background(), []string{"--help"}, nil, strings.NewReader(""), &stdout, &stderr); code != 0 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	for _, flag := range []string{"--spam", "--ham", "--class NAME", "--forget", "--model-file FILE, -m FILE", "--version"} {
		if !strings.Contains(stdout.String(), "  "+flag+"\n") {
			t.Errorf("no %s in:\n%s", flag, stdout.String())
		}
	}
}
