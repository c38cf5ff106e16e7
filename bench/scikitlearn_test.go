package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chaff/test/testmain"
)

// runAll is a program in Python that runs scripts one after the other. Its argument is a list of [script, its arguments, its stdin].
const runAll = `
import json, runpy, sys
for script, args, stdin in json.loads(sys.argv[1]):
    sys.argv, sys.stdin = [script] + args, open(stdin)
    runpy.run_path(script)
`

// TestScikitLearnAnswers trains and classifies with the commands of scikit-learn, all of them in one process, which starts slowly.
func TestScikitLearnAnswers(t *testing.T) {
	if !testmain.IsLong() {
		t.Skip("scikit-learn starts slowly: set TEST_CORPORA to a folder with the corpora sa and enron (see docs/inside/results.md)")
	}
	if pythonWithSklearn() == "" {
		t.Skip("needs scikit-learn: apt-get install python3-sklearn")
	}
	scripts, err := filepath.Abs("scripts")
	if err != nil {
		t.Fatal(err)
	}
	mail, err := split("sample", writeSample(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	j := job{mail: mail, db: "db"}
	if err := os.Mkdir(j.path(j.db), 0o700); err != nil {
		t.Fatal(err)
	}
	alone := mail.test[0]
	e := sklearn(scripts, "sgd", "", "")
	commands := slices.Concat(e.train(j), e.bulk(j), []command{e.one(j, alone)})
	var scriptsToRun [][]any
	for _, c := range commands {
		scriptsToRun = append(scriptsToRun, []any{c.args[1], c.args[2:], c.stdin})
	}
	list, err := json.Marshal(scriptsToRun)
	if err != nil {
		t.Fatal(err)
	}
	python := exec.Command(commands[0].args[0], "-c", runAll, string(list))
	python.Dir = mail.dir
	python.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "SETUPTOOLS_USE_DISTUTILS=stdlib") // starts sooner
	out, err := python.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.SplitAfter(strings.TrimSpace(string(out)), "\n")
	last := len(lines) - 1
	answers, err := e.answers(j, []byte(strings.Join(lines[:last], "")))
	if err != nil || len(answers) != len(mail.test) {
		t.Fatalf("%d answers for %d messages: %v", len(answers), len(mail.test), err)
	}
	right := 0
	for i, a := range answers {
		if a.name != mail.test[i].name {
			t.Errorf("answer %d is about %s, want %s", i, a.name, mail.test[i].name)
		}
		if a.spam == mail.test[i].spam {
			right++
		}
	}
	if right*10 < len(answers)*8 {
		t.Errorf("%d of %d messages are classified correctly", right, len(answers))
	}
	if got, err := readNamed(alone.name + " " + lines[last]); err != nil || got != answers[0] {
		t.Errorf("alone: got %v, %v, want %v", got, err, answers[0])
	}
}
