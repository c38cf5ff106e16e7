package imap

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/emersion/go-imap/v2"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/mailbox"
	"chaff/message"
)

// Listing is a mailbox as package mailbox sees it.
type Listing struct {
	*mailbox.Mailbox
	client *Client
	known  *remembered
	ctx    context.Context
	mu     sync.Mutex
	kept   map[place][]byte
	bytes  int
	err    error // of the connection
}

// place is where a message is.
type place struct {
	folder   string
	validity uint32
	uid      imap.UID
}

// Mailbox lists the messages by which a user says what is ham and what is spam, the newest ones first: those of the folders of ham and
// spam, without unseen ham. The messages are read when they are needed, as long as the client is
// open.
func (c *Client) Mailbox(ctx context.Context, s *State) (*Listing, error) {
	l := &Listing{client: c, known: s.of(c.Account), ctx: ctx, kept: map[place][]byte{}}
	var folders []sources.PlanFolder
	for _, f := range c.folders {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.Label == sources.LeftOut {
			folders = append(folders, f)
			continue
		}
		rows, err := l.list(f)
		switch {
		case err != nil && c.conn.failure() != nil:
			return nil, err
		case err != nil: // the others may be readable. What others share need not be; of an own one, the user should know
			f.Use, f.Unreadable = sources.Use{Label: sources.LeftOut, Reason: fmt.Sprintf("cannot be read: %v", errors.Unwrap(err))}, c.isOwn(f.Name)
			rows = []sources.PlanFolder{f}
		}
		folders = append(folders, rows...)
	}
	l.Mailbox = mailbox.Of(c.Account.String(), "imap "+c.Account.String(), folders)
	return l, nil
}

func (l *Listing) list(f sources.PlanFolder) ([]sources.PlanFolder, error) {
	c := l.client
	if err := c.refresh(f.Name, true); err != nil {
		return nil, err
	}
	criteria := imap.SearchCriteria{Smaller: message.MaxSize + 1}
	if f.Label == sources.Ham { // a rule may have put there what nobody has read
		criteria.Flag = []imap.Flag{imap.FlagSeen}
	}
	found, err := c.search(1, criteria)
	if err != nil {
		return nil, err
	}
	var idle []imap.UID // that nobody has answered or flagged
	if f.Label == sources.Ham {
		if idle, err = c.search(1, imap.SearchCriteria{NotFlag: []imap.Flag{imap.FlagAnswered, imap.FlagFlagged}}); err != nil {
			return nil, err
		}
		slices.Sort(idle)
	}
	for _, uid := range slices.Backward(found) {
		p := place{f.Name, c.selected.UIDValidity, uid}
		_, isIdle := slices.BinarySearch(idle, uid)
		f.Files = append(f.Files, sources.File{
			Item:  corpus.Item{Origin: fmt.Sprintf("%s/%s#%d", c.Host, f.Name, uid), Label: f.Label, Content: content{l, p}},
			Name:  fmt.Sprintf("%s\x00%d\x00%d", p.folder, p.validity, p.uid), // for as long as it is in its folder
			Acted: f.Label == sources.Ham && !isIdle,
		})
	}
	f.Messages = len(f.Files)
	unseen := max(0, int(c.selected.NumMessages)-len(found))
	if f.Label != sources.Ham || !f.Incoming && unseen == 0 {
		return []sources.PlanFolder{f}, nil
	}
	return []sources.PlanFolder{f, sources.UnseenMail(f.Name, unseen)}, nil
}

// content is a message on the server.
type content struct {
	list *Listing
	place
}

// Append appends the message. One that is gone, or that a broken connection keeps from us, does not exist: it says nothing.
func (m content) Append(dst []byte) ([]byte, error) {
	l := m.list
	l.mu.Lock()
	defer l.mu.Unlock()
	raw, isKept := l.kept[m.place]
	if !isKept {
		var err error
		if raw, err = l.read(m.place); err != nil {
			return dst, err
		}
	}
	return append(dst, raw...), nil
}

// read returns a message. Its error is about this message; one about the connection is in l.err.
func (l *Listing) read(p place) ([]byte, error) {
	const keptBytes = 64 << 20 // of messages that are kept while a mailbox is compared, since they are read more than once
	c := l.client
	if l.err == nil {
		l.err = l.ctx.Err()
	}
	if l.err == nil && (c.selected.folder != p.folder || !c.selected.readOnly) {
		l.err = c.refresh(p.folder, true)
	}
	if l.err != nil || c.selected.UIDValidity != p.validity {
		return nil, fs.ErrNotExist
	}
	raw, err := c.fetch(p.uid)
	switch {
	case err != nil && c.conn.failure() == nil: // the server may give the others
		return nil, err
	case err != nil:
		l.err = fmt.Errorf("read message %d of %s: %w", p.uid, p.folder, err)
		return nil, fs.ErrNotExist
	case len(raw) <= message.LargeSize && l.bytes+len(raw) <= keptBytes:
		l.kept[p] = raw
		l.bytes += len(raw)
	}
	return raw, nil
}

// Err returns why messages could not be read.
func (l *Listing) Err() error { return l.err }

// Filed reports whether [Client.Judge] has moved a message to the folder for spam; see [mailbox.LearnOptions].
func (l *Listing) Filed(raw []byte) bool { return l.known.has(hashOf(raw)) }
