package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/internal/hint"
)

// tableFlags are the flags for lists of mail and tables of short messages.
type tableFlags struct {
	lists, tables           []string
	textColumn, labelColumn string
}

func (t *tableFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&t.lists, "list", nil, "a list `FILE` with lines `ham:path` and `spam:path`; a path is anything that --ham accepts")
	f.StringArrayVar(&t.tables, "table", nil, "a table `FILE` of short messages in CSV, TSV or JSON, with a message and its label in each row")
	f.StringVar(&t.textColumn, "text-column", "", "the column of the texts in a table, by `NAME` or number; default: a usual name")
	f.StringVar(&t.labelColumn, "label-column", "", "the column of the labels in a table, by `NAME` or number; default: a usual name")
}

// openLists opens files that list messages, and notes what they are.
func (l *labelled) openLists(paths []string, kind string, open func(path string) (corpus.Source, error)) ([]corpus.Source, error) {
	var opened []corpus.Source
	for _, path := range paths {
		source, err := open(path)
		if err != nil {
			return nil, err
		}
		opened = append(opened, source)
		l.notes = append(l.notes, path+": "+kind)
	}
	return opened, nil
}

// open opens the lists and tables, and adds their notes to all. A table sets the classes, unless there is other mail.
func (t *tableFlags) open(all *labelled, otherMail bool) ([]corpus.Source, error) {
	if len(t.tables) == 0 && t.textColumn+t.labelColumn != "" {
		return nil, errors.New("--text-column and --label-column need --table")
	}
	opened, err := all.openLists(t.lists, "list", sources.OpenList)
	if err != nil {
		return nil, err
	}
	for _, path := range t.tables {
		table, err := sources.OpenTable(path, sources.TableOptions{Text: t.textColumn, Label: t.labelColumn})
		if errors.Is(err, sources.ErrColumns) {
			err = hint.With(err, "name them: --text-column NAME and --label-column NAME, or their numbers")
		}
		if err != nil {
			return nil, err
		}
		switch {
		case sameClasses(table.Classes, all.classes):
		case otherMail || len(opened) > 0:
			return nil, fmt.Errorf("%s has the classes %q, the other mail %q: they cannot be trained together", path, table.Classes, all.classes)
		default:
			all.classes = table.Classes
		}
		opened = append(opened, table.Source())
		all.notes = append(all.notes, tableNote(path, table))
	}
	return opened, nil
}

func tableNote(path string, t sources.Table) string {
	note := fmt.Sprintf("%s: table, text in %q, label in %q", path, t.Text, t.Label)
	if t.Subject != "" {
		note += fmt.Sprintf(", subject in %q", t.Subject)
	}
	return note + fmt.Sprintf(", classes %q", t.Classes)
}
