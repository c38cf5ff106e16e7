package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// scripts are the programs for CRM114 and Python.
//
//go:embed scripts
var scripts embed.FS

// writeScripts writes the scripts into the folder dir, which it returns.
func writeScripts(dir string) (string, error) {
	sub, err := fs.Sub(scripts, "scripts")
	if err != nil {
		return "", err
	}
	return dir, os.CopyFS(dir, sub)
}

// everyone returns all entrants. program is the path of chaff, scripts the folder of the scripts.
func everyone(program, scripts string) []entrant {
	return append(chaffs(program),
		bogofilter(),
		crm114(scripts),
		spamprobe(),
		sklearn(scripts, "sgd", "scikit-learn SGDClassifier", "`email`, `HashingVectorizer()`, `SGDClassifier(loss=\"log_loss\")`, in bench/scripts/learn.py"),
		sklearn(scripts, "nb", "scikit-learn MultinomialNB", "`email`, `CountVectorizer()`, `MultinomialNB()`, in the same"),
		fasttext(),
		liblinear(program),
	)
}

// chosen returns the entrants whose ids begin with one of the names, or all if there are no names.
func chosen(all []entrant, names []string) ([]entrant, error) {
	if len(names) == 0 {
		return all, nil
	}
	found := make(map[string]bool)
	var some []entrant
	for _, e := range all {
		wanted := false
		for _, name := range names {
			if strings.HasPrefix(e.id, name) {
				wanted, found[name] = true, true
			}
		}
		if wanted {
			some = append(some, e)
		}
	}
	for _, name := range names {
		if !found[name] {
			return nil, fmt.Errorf("-only: unknown program %q", name)
		}
	}
	return some, nil
}
