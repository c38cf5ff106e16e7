package mailbox

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"time"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/internal/replace"
)

// Mailbox is a mailbox and the messages in its folders of ham and spam. It belongs to one goroutine.
type Mailbox struct {
	path     string
	id       string // the same for every path that leads there
	plan     sources.Plan
	rows     [][]File // by the row of plan.Folders
	problems []string // folders that cannot be read
	// compared has what each file said when the mailbox was last compared with a log, and due is when a message that was only read counts; zero for none.
	compared map[string]string
	due      time.Time
}

// Folder is a folder of a mailbox that is elsewhere than in Maildirs.
type Folder struct {
	sources.PlanFolder
	// Files are the messages of a folder of ham or spam. Messages is set for the others.
	Files []File
}

// File is a message of a folder.
type File struct {
	corpus.Item
	// Name is unique in the mailbox, and the same as long as the message stays in its folder.
	Name string
	// Acted is whether somebody has answered, forwarded or flagged the message.
	Acted bool

	err error // why it cannot be read
	// unread is whether nobody has read it, in a folder of ham, where a rule may have put it.
	unread bool
}

// Of returns a mailbox with folders that its caller has listed, in this order. All lists of one mailbox have the same id. Only
// [Mailbox.Preview] and [Mailbox.Learn] work with it.
func Of(path, id string, folders []Folder) *Mailbox {
	m := &Mailbox{path: path, id: id}
	for _, folder := range folders {
		m.plan.Folders, m.rows = append(m.plan.Folders, folder.PlanFolder), append(m.rows, folder.Files)
	}
	return m
}

// ErrArchive is returned for a mailbox in an archive, which cannot be watched.
var ErrArchive = errors.New("is an archive, not a mailbox that changes")

// Open lists the mailbox at path. The errors are those of [sources.MaildirTree].
func Open(path string) (*Mailbox, error) {
	m := &Mailbox{path: path}
	return m, m.Refresh()
}

// Refresh lists the mailbox again, with the folders that it has now.
func (m *Mailbox) Refresh() error {
	plan, err := sources.MaildirTree(m.path)
	if err != nil {
		return err
	}
	if m.id, err = filepath.Abs(m.path); err == nil {
		m.id, err = filepath.EvalSymlinks(m.id)
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", m.path, replace.Reason(err))
	}
	m.plan, m.rows, m.problems = plan, make([][]File, len(plan.Folders)), nil
	for row := range plan.Folders {
		m.list(row)
	}
	return nil
}

// list lists the messages of a row.
func (m *Mailbox) list(row int) {
	folder, problem := m.plan.Folders[row], ""
	defer func() {
		if problem != "" {
			m.problems = append(m.problems, problem)
		}
	}()
	if folder.Unreadable() {
		problem = folder.Name + " " + folder.Reason
	}
	if folder.Label == sources.LeftOut && !folder.Unseen() {
		return
	}
	for item, err := range m.plan.SourceOf(row) {
		if item.Content == nil {
			problem = err.Error() // about the folder
			continue
		}
		m.rows[row] = append(m.rows[row], File{
			Item: item, Name: sources.UniqueName(path.Base(item.Origin)), Acted: sources.IsAnswered(item.Origin), err: err,
			unread: folder.Unseen() || folder.Label == sources.Ham && sources.IsUnseen(item.Origin),
		})
	}
}

// unmarked reports whether nobody marks mail of a folder of ham as seen, so that it counts as it stands, as for training.
func (m *Mailbox) unmarked(row int) bool {
	return !m.plan.Folders[row].Unseen() && !slices.ContainsFunc(m.rows[row], func(f File) bool { return !f.unread })
}

// label returns what the files of a row say once they count.
func (m *Mailbox) label(row int) string {
	if m.plan.Folders[row].Unseen() {
		return sources.Ham
	}
	return m.plan.Folders[row].Label
}

// says returns what the files say now, by their names.
func (m *Mailbox) says() map[string]string {
	says := map[string]string{}
	for row, files := range m.rows {
		for _, f := range files {
			says[f.Name] = fmt.Sprint(m.plan.Folders[row].Name, m.label(row), f.unread, f.Acted)
		}
	}
	return says
}

// hasNews reports whether a file is new or says something else since the mailbox was last compared, or a message counts by now.
func (m *Mailbox) hasNews(now time.Time) bool {
	return !maps.Equal(m.compared, m.says()) || !m.due.IsZero() && !now.Before(m.due)
}

// Has reports whether a folder of the mailbox has the label.
func (m *Mailbox) Has(label string) bool { return m.plan.Has(label) }

// Path returns the path that the mailbox was opened with.
func (m *Mailbox) Path() string { return m.path }

// Messages returns the number of messages in the folders of ham and spam, and of those that are left out.
func (m *Mailbox) Messages() (used, leftOut int) {
	leftOut = m.plan.Deleted
	for row, f := range m.plan.Folders {
		unread, unmarked := 0, m.unmarked(row)
		for _, f := range m.rows[row] {
			if f.unread && !unmarked {
				unread++
			}
		}
		if used += len(m.rows[row]) - unread; f.Label == sources.LeftOut {
			unread = f.Messages
		}
		leftOut += unread
	}
	return used, leftOut
}
