package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"chaff/config"
	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/train"
	"chaff/train/counts"
)

// imported is the JSON of an import of counts.
type imported struct {
	File   string `json:"file"`
	Filter string `json:"filter"`
	// Ham, Spam and Tokens are those of the other filter.
	Ham      int            `json:"ham"`
	Spam     int            `json:"spam"`
	Tokens   int            `json:"tokens"`
	Carried  counts.Carried `json:"carried"`
	Model    string         `json:"model"`
	Saved    train.Refitted `json:"saved_model"`
	BySample bool           `json:"thresholds_by_sample"`
}

func (p *program) importCounts(x *importing) error {
	ctx := x.command.Context()
	cfg, err := p.load(x.command, &x.settings)
	if err != nil {
		return err
	}
	if cfg.Tokenize.Language == "auto" {
		return hint.With(errors.New("tokenize.language is auto: the words of another filter have lost their messages, and with them their language"),
			"name the language of most of your mail: --set tokenize.language=english")
	}
	mail := labelled{source: sample.Source()}
	bySample := len(x.sources.ham)+len(x.sources.spam)+len(x.sources.maildirs) == 0
	if !bySample {
		if mail, err = x.sources.open(nil); err != nil {
			return err
		}
		p.printSources(mail)
	}
	if err := x.canSave(p, append(mail.reads, place{path: x.bogofilter}, place{path: x.spamAssassin})...); err != nil {
		return err
	}
	reading, keepKey, err := p.secretReading(cfg.Config)
	if err != nil {
		return err
	}
	learned := imported{File: x.path, Model: cfg.Model, BySample: bySample}
	c, err := p.readCounts(x, &learned)
	if err != nil {
		return err
	}
	for _, source := range []corpus.Source{mail.source, sample.Source()} {
		if err := c.NameBy(ctx, source, reading.Message); err != nil {
			return err
		}
	}
	made, carried, err := c.Mail(counts.Options{Reading: reading, Seed: cfg.Seed, Messages: cfg.Store.MaxMessages, Memory: memoryOf(cfg.Config)})
	if err != nil {
		return err
	}
	learned.Carried, learned.Ham, learned.Spam, learned.Tokens = carried, c.Ham, c.Spam, len(c.Tokens)
	if carried.Terms == 0 {
		return hint.With(fmt.Errorf("%s read, none of which is a term of chaff", plural(len(c.Tokens), "token")), "give mail in whose words to look for them: --maildir PATH, or --ham PATH and --spam PATH")
	}
	f, warnings, err := p.fitCounts(ctx, cfg.Config, reading, made, mail.source, &learned)
	if err != nil {
		return err
	}
	if err := errors.Join(saveStore(ctx, made, f, x.path, learned.Saved, cfg.Store, x.replace), keepKey()); err != nil {
		return err
	}
	if x.asJSON {
		return printJSON(p.stdout, learned)
	}
	p.printImported(learned, x.command.Flags().Changed("model-file"))
	for _, text := range warnings {
		p.warn(text)
	}
	return nil
}

// readCounts reads the counts of the other filter.
func (p *program) readCounts(x *importing, learned *imported) (c *counts.Counts, err error) {
	path, read, hintText := x.bogofilter, counts.ReadBogofilter, "bogoutil -d wordlist.db prints them"
	if learned.Filter = "bogofilter"; x.command.Flags().Changed("spamassassin") {
		path, read, hintText = x.spamAssassin, counts.ReadSpamAssassin, "sa-learn --backup prints them"
		learned.Filter = "SpamAssassin"
	}
	err = p.withFile(path, func(r io.Reader) (err error) {
		c, err = read(r)
		return err
	})
	if err != nil {
		err = fmt.Errorf("import %s: %w", path, err)
	}
	if errors.Is(err, counts.ErrFormat) {
		err = hint.With(err, hintText)
	}
	return c, err
}

// fitCounts fits the model to the documents of counts. Thresholds and calibration come from the scores of the mail.
func (p *program) fitCounts(ctx context.Context, cfg config.Config, reading filter.Reading, made *train.Mail, mail corpus.Source, learned *imported) (*filter.Filter, []string, error) {
	o := collectOptions(cfg, reading)
	o.Ledger = true
	collection, err := made.Divide(o)
	if err != nil {
		return nil, nil, err
	}
	var options train.Options
	trained, err := fit(p, cfg, true, func(o train.Options) (train.Trained, error) {
		options = o
		return train.Fit(ctx, collection, cfg.Model, o)
	})
	if err != nil {
		return nil, nil, err
	}
	given, warnings, err := counts.Given(ctx, trained.Filter, mail, options.Thresholds)
	if given == nil && err == nil {
		p.warn(fmt.Sprintf("the mail is too little for thresholds, which come from the sample mail of chaff: give at least %d messages of each class", train.FewMessages))
		learned.BySample = true
		given, warnings, err = counts.Given(ctx, trained.Filter, sample.Source(), options.Thresholds)
	}
	if err != nil {
		return nil, nil, err
	}
	options.Given = given
	f, refitted, err := collection.Refit(ctx, trained, options)
	learned.Saved = refitted
	return f, append(warnings, refitted.Warnings...), err
}

// printImported prints what was carried over, and what comes next.
func (p *program) printImported(x imported, hasPath bool) {
	w := p.stdout
	field(w, "imported", "%d ham and %d spam of %s: %s", x.Ham, x.Spam, x.Filter, plural(x.Tokens, "token"))
	if !p.quiet {
		fmt.Fprintln(w)
		printCarried(w, x.Carried)
		fmt.Fprintln(w)
	}
	total := x.Carried.Total()
	field(w, "carried", "%s of all counts, as %s in %s", shareOf(total.CarriedCounts, total.Count), plural(x.Carried.Terms, "term"),
		plural(x.Carried.Ham+x.Carried.Spam, "document"))
	if x.Carried.Scale < 1 {
		messages := 1 / x.Carried.Scale
		field(w, "scaled", "each document stands for %s messages: store.max_messages and the memory bound their number", number(&messages))
	}
	field(w, "model", "%s, %s", x.Model, plural(x.Saved.Terms, "term"))
	if x.Saved.Thresholds != nil {
		printThresholds(w, *x.Saved.Thresholds)
	}
	by := "they come from the mail given, which the other filter must not have learned"
	if x.BySample {
		by = "they come from the sample mail of chaff, and are cautious"
	}
	field(w, "", "%s", by)
	field(w, "saved", "%s", savedFiles(x.File))
	if p.quiet {
		return
	}
	use := ""
	if hasPath {
		use = " -m " + screen.Printable(shellWord(x.File))
	}
	printNext(w, [2]string{"chaff learn" + use + " --maildir ~/Maildir", "learn your mail as well"}, [2]string{"chaff retrain" + use, "fit model and thresholds to it"})
}

func printCarried(w io.Writer, c counts.Carried) {
	t := newTable(w, "tokens", "number", "carried", "of all counts", "carried")
	total := c.Total()
	for _, s := range append(c.Kinds, total) {
		screen.Printf(t, "%s\t%d\t%d\t%s\t%s\n", s.Kind, s.Tokens, s.Carried, shareOf(s.Count, total.Count), shareOf(s.CarriedCounts, total.Count))
	}
	t.Flush()
}
