package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"chaff/corpus/sources"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/mailbox"
	"chaff/store"
)

// mailboxes is the JSON of learn --maildir.
type mailboxes struct {
	File      string        `json:"file"`
	Mailboxes []mailboxSays `json:"mailboxes"`
	afterwards
	// Doubtful are the messages among those learned that look mislabelled.
	Doubtful []doubtful `json:"doubtful,omitempty"`
	DryRun   bool       `json:"dry_run,omitempty"`
}

// mailboxSays is what a mailbox says that the log did not know.
type mailboxSays struct {
	Path string `json:"path"`
	mailbox.Account
}

// learnMaildirs learns what mailboxes say that the log does not know. With a dry run it only prints it.
func (p *program) learnMaildirs(x *learning) error {
	if err := hasStore(x.model); err != nil {
		return err
	}
	var boxes []*mailbox.Mailbox
	for _, path := range x.maildirs {
		box, err := p.openMailbox(path)
		if err != nil {
			return err
		}
		boxes = append(boxes, box)
	}
	all := mailboxes{File: x.model, Mailboxes: []mailboxSays{}, DryRun: x.dryRun}
	step, done := p.progress("reading mail")
	options := mailbox.LearnOptions{Workers: x.Workers, Progress: step, Options: x.Config.Mailbox}
	err := p.eachMailbox(x, &all, boxes, options)
	done()
	err = aboutMailbox(err)
	if x.asJSON {
		return errors.Join(err, printJSON(p.stdout, all))
	}
	for _, m := range all.Mailboxes {
		p.printSays(m, x.dryRun)
	}
	p.printWorst(all.Doubtful, "chaff review"+useOf(x.command, x.model)+again(x.command, nil))
	if err == nil {
		all.print(p, x.command, x.model, x.Store.RetrainAfter)
	}
	return err
}

// eachMailbox compares the mailboxes with the log, and enters what they say. What was learned before an error counts.
func (p *program) eachMailbox(x *learning, all *mailboxes, boxes []*mailbox.Mailbox, o mailbox.LearnOptions) error {
	ctx := x.command.Context()
	if x.dryRun {
		view, err := look(x.model)
		if err != nil {
			return err
		}
		defer view.Close()
		for _, box := range boxes {
			account, err := box.Preview(ctx, view, o)
			if err != nil {
				return err
			}
			all.Mailboxes = append(all.Mailboxes, mailboxSays{box.Path(), account})
		}
		return nil
	}
	s, err := x.openStore()
	if err != nil {
		return err
	}
	for _, box := range boxes {
		var account mailbox.Account
		account, err = box.Learn(ctx, s, o)
		if err == nil || len(account.Changes) > 0 {
			all.Mailboxes = append(all.Mailboxes, mailboxSays{box.Path(), account})
		}
		if err != nil {
			break
		}
	}
	err = all.end(p, x, s, err)
	doubts := map[uint64]uint8{} // after a fit
	for _, e := range all.entries {
		doubts[e.Fingerprint] = e.Doubt
	}
	var changes []mailbox.Change
	for _, m := range all.Mailboxes {
		for _, c := range m.Changes {
			if all.entries != nil {
				c.Doubt = float64(doubts[c.Fingerprint]) / 100
			}
			changes = append(changes, c)
		}
	}
	all.Doubtful = doubtfulChanges(changes)
	return err
}

// openMailbox opens a mailbox of Maildirs. It warns of one without a folder for spam.
func (p *program) openMailbox(path string) (*mailbox.Mailbox, error) {
	if path == "" {
		return nil, errors.New("a path is empty: the variable that should hold it may not be set")
	}
	box, err := mailbox.Open(path)
	if err != nil {
		return nil, err
	}
	if !box.Has(sources.Spam) {
		english, all := sources.SpamNames()
		p.warn(fmt.Sprintf("%s has no folder for spam: none is named %s, or has one of %d names in other languages; chaff learn --spam FOLDER learns from another one", path, strings.Join(english, ", "), all-len(english)))
	}
	return box, nil
}

// aboutMailbox adds a hint to an error about a mailbox and a model.
func aboutMailbox(err error) error {
	if errors.Is(err, mailbox.ErrClasses) {
		return hint.With(err, "teach such a model with chaff learn --class NAME PATH")
	}
	return err
}

// shownFolders is how many folders an account or a review shows.
const shownFolders = 6

// printSays prints what a mailbox says, in at most 15 lines. Refused messages are on stderr.
func (p *program) printSays(m mailboxSays, dryRun bool) {
	p.printMailProblems(m)
	known := m.Messages - m.Later - m.Count(store.Learned) - m.Count(store.Relabelled) - m.Count(store.Sure) - m.Count(store.Refused) - m.Silent - m.Waiting - m.Filed
	if m.Count(store.Learned)+m.Count(store.Relabelled)+m.Count(store.Sure) == 0 {
		if !p.quiet {
			screen.Printf(p.stdout, "nothing new in %s: %s known, %s left out\n", m.Path, pluralOf(known, "message is", "messages are"), screen.Grouped(m.LeftOut))
			printSilent(p.stdout, m.Account)
		}
		p.printAmbiguous(m.Account)
		return
	}
	learned, moved := "learned", "moved"
	if dryRun {
		learned, moved = "would learn", "would move"
	}
	w := p.stdout
	printChanges(w, learned, m.Account, func(c mailbox.Change) string {
		return onlyIf(c.Result == store.Learned, c.Label)
	})
	printChanges(w, moved, m.Account, func(c mailbox.Change) string {
		return onlyIf(c.Result == store.Relabelled, "from "+c.Before+" to "+c.Label)
	})
	if n := m.Count(store.Sure); n > 0 {
		field(w, "sure", "%d not learned, since the model was right and sure of them (store.on_error)", n)
	}
	printChangedFolders(w, m.Account)
	field(w, "known", "%s already; left out: %s", screen.Grouped(known), screen.Grouped(m.LeftOut))
	printSilent(w, m.Account)
	p.printAmbiguous(m.Account)
}

// printSilent prints how many messages say nothing yet, or no longer.
func printSilent(w io.Writer, a mailbox.Account) {
	for _, row := range silent(a) {
		field(w, row[0], "%s", row[1])
	}
}

// silent returns rows of a word and what it says of the messages that say nothing yet, or no longer.
func silent(a mailbox.Account) (rows [][2]string) {
	for _, row := range []struct {
		n          int
		word, says string
	}{
		{a.Waiting, "waiting", "%d that you have read count as ham later (mailbox.read_days), or at once when you answer, flag or move them"},
		{a.Filed, "filed", "%d that the filter calls spam itself say nothing until you move them"},
		{a.TakenBack, "forgotten", "%d that you deleted soon after reading them"},
	} {
		if row.n > 0 {
			rows = append(rows, [2]string{row.word, fmt.Sprintf(row.says, row.n)})
		}
	}
	return rows
}

func onlyIf(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// printChanges prints the number of changes of a kind, which have a text each.
func printChanges(w io.Writer, label string, a mailbox.Account, text func(mailbox.Change) string) {
	counts, n := map[string]int{}, 0
	var order []string
	for _, c := range a.Changes {
		of := text(c)
		if of == "" {
			continue
		}
		if n++; counts[of] == 0 {
			order = append(order, of)
		}
		counts[of]++
	}
	if n == 0 {
		return
	}
	slices.Sort(order)
	for i, of := range order {
		order[i] = screen.Grouped(counts[of]) + " " + of
	}
	field(w, label, "%s: %s", screen.Grouped(n), strings.Join(order, ", "))
}

// printChangedFolders prints the folders with changes, those with the most first.
func printChangedFolders(w io.Writer, a mailbox.Account) {
	type folder struct {
		name    string
		changes int
	}
	var folders []folder
	for _, c := range a.Changes {
		if c.Result == store.Refused {
			continue
		}
		i := slices.IndexFunc(folders, func(f folder) bool { return f.name == c.Folder })
		if i < 0 {
			i = len(folders)
			folders = append(folders, folder{name: c.Folder})
		}
		folders[i].changes++
	}
	slices.SortStableFunc(folders, func(a, b folder) int { return b.changes - a.changes })
	for i, f := range folders[:min(len(folders), shownFolders)] {
		label := ""
		if i == 0 {
			label = "in"
		}
		screen.Printf(w, "%-12s%-6d %s\n", label, f.changes, f.name)
	}
	if more := len(folders) - shownFolders; more > 0 {
		field(w, "", "and %s more", plural(more, "folder"))
	}
}

func (p *program) printAmbiguous(a mailbox.Account) {
	if a.Ambiguous > 0 {
		p.warn(pluralOf(a.Ambiguous, "message is", "messages are") + " both in a folder of ham and in one of spam, and not learned: delete one of the copies")
	}
}

// printMailProblems prints what cannot be read.
func (p *program) printMailProblems(m mailboxSays) {
	problems := slices.Clone(m.Problems)
	for _, c := range m.Changes {
		if c.Result == store.Refused {
			problems = append(problems, c.Reason)
		}
	}
	p.printLeftOut(problems)
	if left := m.NoMail.String(); left != "" {
		screen.Printf(p.stderr, "chaff: %s\n", left)
	}
}

// printLeftOut prints why messages and folders are left out.
func (p *program) printLeftOut(problems []string) {
	for _, problem := range problems[:min(len(problems), maxRefusals)] {
		screen.Printf(p.stderr, "chaff: left out: %s\n", screen.Quoted(problem))
	}
	if more := len(problems) - maxRefusals; more > 0 {
		screen.Printf(p.stderr, "chaff: left out: %d more\n", more)
	}
}
