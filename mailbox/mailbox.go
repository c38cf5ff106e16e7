package mailbox

import (
	"errors"
	"fmt"
	"path/filepath"

	"chaff/corpus/sources"
	"chaff/internal/replace"
)

// Mailbox is a mailbox and the messages in its folders of ham and spam. It belongs to one goroutine.
type Mailbox struct {
	path string
	id   string // the same for every path that leads there
	plan sources.Plan
}

// Of returns a mailbox with folders that its caller has listed, in this order. All lists of one mailbox have the same id. Only
// [Mailbox.Preview] and [Mailbox.Learn] work with it.
func Of(path, id string, folders []sources.PlanFolder) *Mailbox {
	return &Mailbox{path: path, id: id, plan: sources.Plan{Folders: folders}}
}

// ErrArchive is returned for a mailbox in an archive, which cannot be watched.
var ErrArchive = errors.New("is an archive, not a mailbox that changes")

// Open lists the mailbox at path. The errors are those of [sources.MaildirTree].
func Open(path string) (*Mailbox, error) {
	m := &Mailbox{path: path}
	return m, m.refresh()
}

// refresh lists the mailbox again, with the folders that it has now.
func (m *Mailbox) refresh() error {
	plan, err := sources.MaildirTree(m.path)
	if err != nil {
		return err
	}
	m.plan = plan
	if m.id, err = filepath.Abs(m.path); err == nil {
		m.id, err = replace.Real(m.id)
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", m.path, replace.Reason(err))
	}
	return nil
}

// Has reports whether a folder of the mailbox has the label.
func (m *Mailbox) Has(label string) bool { return m.plan.Has(label) }

// Messages returns the number of messages in the folders of ham and spam, and of those that are left out.
func (m *Mailbox) Messages() (used, leftOut int) {
	leftOut = m.plan.Deleted
	for _, f := range m.plan.Folders {
		if f.Label == sources.LeftOut {
			leftOut += f.Messages
		} else {
			used += f.Messages
		}
	}
	return used, leftOut
}
