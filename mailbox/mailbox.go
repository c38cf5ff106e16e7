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
	rows     [][]file // by the row of plan.Folders
	problems map[int]error
	// compared has what each file said when the mailbox was last compared with a log, and due is when a message that was only read counts; zero for none.
	compared map[string]string
	due      time.Time
}

// file is a message of a mailbox.
type file struct {
	File       // its name is without flags
	err  error // why it cannot be read
	// unread is whether nobody has read it, in a folder of ham, where a rule may have put it.
	unread bool
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
}

// Of returns a mailbox with folders that its caller has listed, in this order. All lists of one mailbox have the same id. Only
// [Mailbox.Preview] and [Mailbox.Learn] work with it.
func Of(path, id string, folders []Folder) *Mailbox {
	m := &Mailbox{path: path, id: id, rows: make([][]file, len(folders))}
	for row, folder := range folders {
		m.plan.Folders = append(m.plan.Folders, folder.PlanFolder)
		for _, f := range folder.Files {
			m.rows[row] = append(m.rows[row], file{File: f})
		}
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
	m.plan, m.rows, m.problems = plan, make([][]file, len(plan.Folders)), map[int]error{}
	for row := range plan.Folders {
		m.list(row)
	}
	return nil
}

// list lists the messages of a row.
func (m *Mailbox) list(row int) {
	folder := m.plan.Folders[row]
	if folder.Unreadable() {
		m.problems[row] = fmt.Errorf("%s %s", folder.Name, folder.Reason)
	}
	if folder.Label == sources.LeftOut && !folder.Unseen() {
		return
	}
	for item, err := range m.plan.SourceOf(row) {
		if item.Content == nil {
			m.problems[row] = err // about the folder
			continue
		}
		m.rows[row] = append(m.rows[row], file{
			File: File{item, sources.UniqueName(path.Base(item.Origin)), sources.IsAnswered(item.Origin)}, err: err,
			unread: folder.Unseen() || folder.Label == sources.Ham && sources.IsUnseen(item.Origin),
		})
	}
}

// unmarked reports whether nobody marks mail of a folder of ham as seen, so that it counts as it stands, as for training.
func (m *Mailbox) unmarked(row int) bool {
	return !m.plan.Folders[row].Unseen() && !slices.ContainsFunc(m.rows[row], func(f file) bool { return !f.unread })
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

// problemTexts returns why folders cannot be read, in the order of the folders.
func (m *Mailbox) problemTexts() []string {
	var texts []string
	for _, row := range slices.Sorted(maps.Keys(m.problems)) {
		texts = append(texts, m.problems[row].Error())
	}
	return texts
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
