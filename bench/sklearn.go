package main

import (
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
)

// pythonWithSklearn returns a Python that has scikit-learn, or "".
func pythonWithSklearn() string {
	const look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('sklearn') is None)"
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", look).Run() == nil {
			return python
		}
	}
	return ""
}

// sklearn returns a classifier of scikit-learn that reads mail with Python's email package.
func sklearn(scripts, kind, name, settings string) entrant {
	run := func(stdin string, args ...string) command {
		return command{args: append([]string{pythonWithSklearn(), filepath.Join(scripts, "learn.py")}, args...), stdin: stdin}
	}
	return entrant{
		id: "sklearn-" + kind, name: name, debian: "python3-sklearn", settings: settings,
		present: func() bool { return pythonWithSklearn() != "" },
		train: func(j job) []command {
			return []command{run(trainOrder, "train", kind, path.Join(j.db, "model"))}
		},
		bulk: func(j job) []command {
			return []command{run(testList, "classify", path.Join(j.db, "model"))}
		},
		one:      func(j job, l mailFile) command { return run(l.name, "one", path.Join(j.db, "model")) },
		answers:  eachLine(readNamed),
		database: []string{"model"},
	}
}

// readNamed parses a line "NAME score", where spam has a score above 0.
func readNamed(line string) (answer, error) {
	var a answer
	_, err := fmt.Sscan(line, &a.name, &a.score)
	a.spam = a.score > 0
	return a, err
}
