package imap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/emersion/go-imap/v2"

	"chaff/corpus"
	"chaff/filter"
	"chaff/message"
)

// Judgement is a message of the inbox and what the filter says of it.
type Judgement struct {
	UID uint32 `json:"uid"`
	filter.Classification
	From    string `json:"from"`
	Subject string `json:"subject"`
	// CameBack reports whether the message was moved before and somebody has moved it back: it stays.
	CameBack bool `json:"came_back,omitempty"`
	// Moved reports whether it was moved to the folder for spam.
	Moved bool `json:"moved"`
}

// Run is what was done with the new unseen mail of the inbox.
type Run struct {
	Judged int `json:"judged"`
	Spam   int `json:"spam"`
	Moved  int `json:"moved"`
	// TooLarge messages are not judged.
	TooLarge int `json:"too_large,omitempty"`
	// Later is the number of messages that were not looked at because of the limit.
	Later int `json:"later,omitempty"`
	// Messages are those judged.
	Messages []Judgement `json:"messages,omitempty"`
}

// Judge judges, as classify does, the unseen messages of the inbox that are new since it last moved messages, and moves spam. Without move it
// changes nothing, neither in the mailbox nor in the state.
func (c *Client) Judge(ctx context.Context, s *State, classify func(raw []byte) filter.Classification, move bool) (r Run, err error) {
	switch {
	case move && c.junk == "":
		return r, ErrNoJunk
	case move && !c.caps.Has(imap.CapMove) && !c.caps.Has(imap.CapUIDPlus):
		return r, ErrCannotMove
	}
	if err := c.refresh(inbox, !move); err != nil {
		return r, err
	}
	known := s.of(c.Account)
	if known.Validity != c.selected.UIDValidity { // the numbers mean other messages
		known.Validity, known.Last = c.selected.UIDValidity, 0
		for i := range known.Moved {
			known.Moved[i].UID = 0
		}
	}
	found, err := c.search(known.Last+1, imap.SearchCriteria{NotFlag: []imap.Flag{imap.FlagSeen}})
	if err != nil {
		return r, err
	}
	if limit := c.options.Limit; limit > 0 && len(found) > limit {
		r.Later = len(found) - limit
		found = found[:limit]
	}
	const batch = 50 // messages that are moved at once
	var refused error
	for uids := range slices.Chunk(found, batch) {
		inBatch, err := c.judgeBatch(ctx, uids, s, classify, move, &r)
		refused = cmp.Or(refused, inBatch)
		if err != nil {
			return r, errors.Join(refused, err)
		}
	}
	return r, refused
}

// judgeBatch returns what the server says about the first message that it refuses to give, and the error that ends the run.
func (c *Client) judgeBatch(ctx context.Context, uids []imap.UID, s *State, classify func(raw []byte) filter.Classification, move bool, r *Run) (refused, err error) {
	const headBytes = 16 << 10 // that are read for From and Subject
	known := s.of(c.Account)
	var judged []Judgement // that are told when those to move were moved
	decoder := message.NewDecoder(message.DefaultOptions())
	var spam []moved   // to move
	last := known.Last // a message that the server refuses is tried again, unless it gives one behind that
	for _, uid := range uids {
		raw, err := c.fetch(uid)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			last = uid
			continue
		case errors.Is(err, corpus.ErrTooLarge):
			last = uid
			r.TooLarge++
			continue
		case err != nil:
			err = fmt.Errorf("read message %d of the inbox: %w", uid, err)
			if c.conn.failure() != nil {
				return refused, err
			}
			refused = cmp.Or(refused, err)
			continue
		}
		last = uid
		if err := ctx.Err(); err != nil {
			return refused, err
		}
		j := Judgement{UID: uint32(uid), Classification: classify(raw)}
		header := decoder.Decode(raw[:min(len(raw), headBytes)])
		j.From, j.Subject = string(header.Get("from")), string(header.Get("subject"))
		r.Judged++
		if j.Verdict == filter.Spam {
			r.Spam++
			this := moved{hashOf(raw), uid}
			j.CameBack = known.has(this.Hash) && !slices.Contains(known.Moved, this)
			if j.Moved = move && !j.CameBack; j.Moved {
				spam = append(spam, this)
			}
		}
		judged = append(judged, j)
	}
	if move {
		if err := c.moveBatch(spam, s); err != nil {
			return refused, err
		}
	}
	r.Moved += len(spam)
	r.Messages = append(r.Messages, judged...)
	if move {
		known.Last = last
		err = s.save()
	}
	return refused, err
}

// moveBatch moves spam. It is remembered first: if this process dies or the connection breaks meanwhile, what was moved is known to be no label of
// the user.
func (c *Client) moveBatch(spam []moved, s *State) error {
	if len(spam) == 0 {
		return nil
	}
	s.of(c.Account).add(spam)
	if err := s.save(); err != nil {
		return err
	}
	var uids imap.UIDSet
	for _, m := range spam {
		uids.AddNum(m.UID)
	}
	err := c.do(idleBytes, c.options.Timeout, func() error {
		if c.caps.Has(imap.CapMove) {
			_, err := c.client.Move(uids, c.junk).Wait()
			return err
		}
		// QUIRK: the library removes messages before it knows whether they were copied.
		if _, err := c.client.Copy(uids, c.junk).Wait(); err != nil {
			return err
		}
		deleted := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: []imap.Flag{imap.FlagDeleted}}
		if err := c.client.Store(uids, deleted, nil).Close(); err != nil {
			return err
		}
		return c.client.UIDExpunge(uids).Close()
	})
	if err != nil {
		return fmt.Errorf("move spam to %s: %w", c.junk, err)
	}
	return nil
}
