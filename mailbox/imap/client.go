package imap

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-imap/utf7"
	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/message"
)

// Account is a mailbox on a server.
type Account struct {
	Host, Port, User string
	// Plain reports whether the connection is not encrypted, as with imap://, which must lead to this machine.
	Plain bool
}

// ParseAccount reads an address such as imaps://anna@imap.example.org. The user may contain "@". The error does not have the address, which
// may contain a password.
func ParseAccount(address string) (Account, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "imap" && u.Scheme != "imaps" || u.User == nil || u.Hostname() == "" || u.User.Username() == "" ||
		u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return Account{}, errors.New("must be imaps://USER@HOST, or imap://USER@HOST for a server on this machine")
	}
	if _, has := u.User.Password(); has {
		return Account{}, errors.New("has a password, which other users of this machine can see")
	}
	a := Account{Host: u.Hostname(), Port: u.Port(), User: u.User.Username(), Plain: u.Scheme == "imap"}
	if strings.ContainsFunc(a.User, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return Account{}, errors.New("has a user with control characters")
	}
	a.Port = cmp.Or(a.Port, a.usualPort())
	return a, nil
}

func (a Account) usualPort() string { return map[bool]string{false: "993", true: "143"}[a.Plain] }

// String names the account: USER@HOST, and the port if it is not the usual one.
func (a Account) String() string {
	if a.Port == a.usualPort() {
		return a.User + "@" + a.Host
	}
	return a.User + "@" + net.JoinHostPort(a.Host, a.Port)
}

// Options are the options of a connection.
type Options struct {
	// TLS is the configuration of TLS; nil is that of the system.
	TLS *tls.Config
	// Timeout is how long the server may take for a reply, and Fetch for a message.
	Timeout, Fetch time.Duration
	// Limit is how many messages are judged at most by one call of [Client.Judge].
	Limit int
	// Junk is the folder for spam. If it is empty, the server says which it is, or else its name does.
	Junk string
}

// DefaultOptions returns the default options.
func DefaultOptions() Options {
	return Options{Timeout: time.Minute, Fetch: 5 * time.Minute, Limit: 1000}
}

// Secret is what proves who a user is.
type Secret struct {
	Text string
	// Token reports whether it is an access token of OAuth 2.0 and not a password.
	Token bool
}

// The limits of what is asked of a server.
const (
	maxFolders = 500
	maxName    = 1000    // bytes of the name of a folder
	maxListed  = 100_000 // newest numbers of a folder that messages are sought among
	listBytes  = 1 << 20
)

// What is wrong with a server or an account.
var (
	// ErrPlain is returned for a server that would read the password without encryption.
	ErrPlain = errors.New("the connection is not encrypted")
	// ErrRefused is returned if the server does not accept the user or the secret.
	ErrRefused = errors.New("the server refuses the user or the password")
	// ErrNoJunk is returned if there is no folder for spam.
	ErrNoJunk = errors.New("the mailbox has no folder for spam")
	// ErrCannotMove is returned for a server without MOVE and UIDPLUS: with a copy that is moved, it would remove what the user has marked as deleted.
	ErrCannotMove = errors.New("the server cannot move messages (it has neither MOVE nor UIDPLUS), so nothing is moved")
)

// Client is a connection to a mailbox. It belongs to one goroutine.
type Client struct {
	Account
	options  Options
	client   *imapclient.Client
	conn     *bounded
	selected selection
	sent     sent
	caps     imap.CapSet        // what the server is able to do
	spaces   imap.NamespaceData // whose folders are whose
	folders  []sources.PlanFolder
	junk     string // the folder for spam; empty for none
	stop     func() bool
}

// selection is the folder that commands are about.
type selection struct {
	folder          string
	readOnly        bool
	imap.SelectData // what the server says of it
}

// Dial connects to a server and lists the folders. When ctx ends, the connection is closed.
func Dial(ctx context.Context, a Account, secret Secret, o Options) (*Client, error) {
	dialer := net.Dialer{Timeout: o.Timeout}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(a.Host, a.Port))
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", a.Host, cmp.Or(ctx.Err(), plainly(err)))
	}
	c := &Client{Account: a, options: o, conn: &bounded{Conn: conn}}
	c.stop = context.AfterFunc(ctx, func() { conn.Close() })
	if err := c.begin(secret); err != nil {
		c.Close()
		return nil, cmp.Or(ctx.Err(), err)
	}
	return c, nil
}

func (c *Client) begin(secret Secret) error {
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"connect to " + c.Host, c.greet},
		{"log in to " + c.Host, func() error { return c.login(secret) }},
		{"list the folders of " + c.Account.String(), c.list},
	} {
		if err := c.do(listBytes, c.options.Timeout, step.do); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// Close ends the connection.
func (c *Client) Close() {
	if c.client != nil && c.conn.failure() == nil {
		_ = c.do(idleBytes, 5*time.Second, func() error { return c.client.Logout().Wait() })
	}
	c.stop()
	c.conn.Close()
	if c.client != nil {
		within(hung, func() error { return c.client.Close() })
	}
}

// hung is how long the library may work after the connection has ended.
const hung = time.Second

// within does something. If it takes too long, it is left alone: a server may have found a way to hang the library.
func within(d time.Duration, what func() error) error {
	done := make(chan error, 1)
	go func() { done <- what() }()
	select {
	case err := <-done:
		return err
	case <-time.After(d):
		return ErrSilent
	}
}

// do does something that takes so many bytes and so long at most. Its error is that of the connection, if that has one. What it sets may be
// used only if there is no error.
func (c *Client) do(bytes int64, d time.Duration, what func() error) error {
	if err := c.conn.failure(); err != nil {
		return err
	}
	c.conn.allow(bytes, d)
	defer c.conn.allow(idleBytes, 0)
	err := within(d+hung, what)
	if err == nil {
		return nil
	}
	if err == ErrSilent {
		c.conn.fail(err)
	}
	failure := c.conn.failure()
	if failure != nil && failure != errEnded {
		return failure
	}
	if e, ok := errors.AsType[*imap.Error](err); ok {
		return errors.New(said(e))
	}
	if failure != nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errEnded
	}
	c.conn.fail(err) // the library reads nothing after a reply that it does not understand
	return err
}

// said returns what a server says about an error.
func said(e *imap.Error) string {
	text := fmt.Sprintf("the server says: %s", e.Text[:min(len(e.Text), 200)])
	if e.Code != "" {
		text += fmt.Sprintf(" (%s)", e.Code[:min(len(e.Code), 40)])
	}
	return strings.ToValidUTF8(text, "\ufffd")
}

// greet begins TLS and waits for the server.
func (c *Client) greet() error {
	var conn net.Conn = c.conn
	if c.Plain {
		if tcp, _ := conn.RemoteAddr().(*net.TCPAddr); tcp == nil || !tcp.IP.IsLoopback() {
			return ErrPlain
		}
	} else {
		config := &tls.Config{}
		if c.options.TLS != nil {
			config = c.options.TLS.Clone()
		}
		config.ServerName = cmp.Or(config.ServerName, c.Host)
		encrypted := tls.Client(conn, config)
		if err := encrypted.Handshake(); err != nil {
			return plainly(err)
		}
		conn = encrypted
	}
	in := &checked{Conn: conn, raw: c.conn, in: bufio.NewReader(conn)}
	c.client = imapclient.New(in, &imapclient.Options{UnilateralDataHandler: &imapclient.UnilateralDataHandler{
		Fetch: func(m *imapclient.FetchMessageData) { _ = c.sent.take(m) },
	}})
	err := c.client.WaitGreeting()
	for range 20 { // QUIRK: of a refusal and the end that follows it, the library returns one at random.
		if _, isRefusal := errors.AsType[*imap.Error](err); err == nil || isRefusal {
			break
		}
		err = c.client.WaitGreeting()
	}
	return err
}

// login proves who the user is.
func (c *Client) login(secret Secret) error {
	if c.client.State() == imap.ConnStateAuthenticated {
		return nil // by the network
	}
	caps := c.client.Caps()
	var err error
	switch {
	case secret.Token && caps.Has(imap.AuthCap(sasl.OAuthBearer)):
		err = c.client.Authenticate(sasl.NewOAuthBearerClient(&sasl.OAuthBearerOptions{Username: c.User, Token: secret.Text}))
	case secret.Token && caps.Has(imap.AuthCap(xoauth2)):
		err = c.client.Authenticate(bearer{c.User, secret.Text})
	case secret.Token:
		return errors.New("the server accepts no access tokens: it has neither OAUTHBEARER nor XOAUTH2")
	case caps.Has(imap.AuthCap(sasl.Plain)):
		err = c.client.Authenticate(sasl.NewPlainClient("", c.User, secret.Text))
	case caps.Has(imap.CapLoginDisabled):
		return errors.New("the server accepts no passwords on this connection")
	default:
		err = c.client.Login(c.User, secret.Text).Wait()
	}
	if e, ok := errors.AsType[*imap.Error](err); ok && e.Type == imap.StatusResponseTypeNo && e.Code != imap.ResponseCodeUnavailable {
		return fmt.Errorf("%w: %s", ErrRefused, said(e))
	}
	return err
}

const xoauth2 = "XOAUTH2"

// bearer is the mechanism XOAUTH2 of Google and Microsoft.
type bearer struct{ user, token string }

func (b bearer) Start() (mechanism string, response []byte, err error) {
	return xoauth2, []byte("user=" + b.user + "\x01auth=Bearer " + b.token + "\x01\x01"), nil
}

// Next answers the report of an error, after which the server refuses.
func (b bearer) Next([]byte) ([]byte, error) { return []byte{}, nil }

func (c *Client) list() error {
	listed, err := c.client.List("", "*", nil).Collect()
	if err != nil {
		return err
	}
	c.caps = c.client.Caps()      // QUIRK: before the first reply behind the login, it may return those from before the login
	if c.caps.Has("X-CM-EXT-1") { // QUIRK: NetEase opens no folder for a program that has not said its name
		if _, err := c.client.ID(&imap.IDData{Name: "chaff"}).Wait(); err != nil {
			return err
		}
	}
	if c.caps.Has(imap.CapNamespace) {
		if said, err := c.client.Namespace().Wait(); err == nil { // a server that refuses it says nothing of them
			c.spaces = *said
		}
	}
	if len(listed) > maxFolders {
		return fmt.Errorf("it has %d folders, and chaff works with up to %d", len(listed), maxFolders)
	}
	for _, l := range listed {
		if slices.Contains(l.Attrs, imap.MailboxAttrNoSelect) || slices.Contains(l.Attrs, imap.MailboxAttrNonExistent) || l.Mailbox == "" || len(l.Mailbox) > maxName {
			continue
		}
		f := sources.PlanFolder{Name: l.Mailbox, Use: sources.UseOf(strings.Split(l.Mailbox, string(l.Delim)))}
		for _, attribute := range l.Attrs {
			if use, says := uses[attribute]; says {
				f.Use = use
			}
			// Gmail keeps archived mail only there. Those of others may have the messages that are spam and deleted, too.
			if attribute == imap.MailboxAttrAll && c.caps.Has("X-GM-EXT-1") {
				f.Use = sources.Use{Label: sources.Ham, Incoming: true}
			}
		}
		if slices.Contains(l.Attrs, imap.MailboxAttrJunk) && c.isOwn(l.Mailbox) {
			c.junk = l.Mailbox
		}
		c.folders = append(c.folders, f)
	}
	slices.SortFunc(c.folders, func(a, b sources.PlanFolder) int { // the inbox first
		return strings.Compare(strings.TrimPrefix(a.Name, inbox), strings.TrimPrefix(b.Name, inbox))
	})
	c.folders = slices.CompactFunc(c.folders, func(a, b sources.PlanFolder) bool { return a.Name == b.Name })
	return c.findJunk()
}

// isOwn reports whether a folder is the user's own: others may read what is in theirs. The longest prefix that it begins with says it.
func (c *Client) isOwn(folder string) bool {
	own, longest := true, -1
	for i, space := range slices.Concat(c.spaces.Personal, c.spaces.Other, c.spaces.Shared) {
		prefix, _ := utf7.Encoding.NewDecoder().String(space.Prefix) // QUIRK: the library decodes only names
		if prefix = cmp.Or(prefix, space.Prefix); len(prefix) > longest && strings.HasPrefix(folder, prefix) {
			own, longest = i < len(c.spaces.Personal), len(prefix)
		}
	}
	return own
}

const inbox = "INBOX"

// uses is what the server says about the use of a folder with an attribute.
var uses = map[imap.MailboxAttr]sources.Use{
	imap.MailboxAttrJunk:    {Label: sources.Spam, Reason: "spam"},
	imap.MailboxAttrTrash:   {Label: sources.LeftOut, Reason: "deleted mail"},
	imap.MailboxAttrDrafts:  {Label: sources.LeftOut, Reason: "drafts"},
	imap.MailboxAttrFlagged: {Label: sources.LeftOut, Reason: "messages of other folders"},
	"\\Important":           {Label: sources.LeftOut, Reason: "messages of other folders"},
	imap.MailboxAttrAll:     {Label: sources.LeftOut, Reason: "messages of other folders"},
	imap.MailboxAttrSent:    {Label: sources.Ham},
	imap.MailboxAttrArchive: {Label: sources.Ham},
}

// findJunk finds the folder for spam: the one that the user names, the user's own that the server says it is, or the one with the shortest name
// of the user's own that are named for spam.
func (c *Client) findJunk() error {
	named := c.options.Junk
	c.junk = cmp.Or(named, c.junk)
	if c.junk == "" {
		for _, f := range c.folders {
			if f.Label == sources.Spam && c.isOwn(f.Name) && (c.junk == "" || len(f.Name) < len(c.junk)) {
				c.junk = f.Name
			}
		}
	}
	if named != "" {
		i := slices.IndexFunc(c.folders, func(f sources.PlanFolder) bool { return f.Name == named })
		if i < 0 {
			return fmt.Errorf("there is no folder %s", named)
		}
		c.folders[i].Use = uses[imap.MailboxAttrJunk]
	}
	if c.junk == inbox {
		return errors.New("the inbox cannot be the folder for spam")
	}
	return nil
}

// Junk returns the name of the folder for spam, or an empty text if there is none.
func (c *Client) Junk() string { return c.junk }

// refresh chooses a folder, which the server looks at anew.
func (c *Client) refresh(name string, readOnly bool) error {
	c.selected = selection{}
	err := c.do(idleBytes, c.options.Timeout, func() error {
		data, err := c.client.Select(name, &imap.SelectOptions{ReadOnly: readOnly}).Wait()
		if err == nil {
			c.selected = selection{name, readOnly, *data}
		}
		return err
	})
	if err == nil && c.selected.UIDValidity == 0 {
		c.selected = selection{}
		err = errors.New("the server gives its messages no lasting numbers (UIDVALIDITY)")
	}
	if err != nil {
		return fmt.Errorf("open the folder %s: %w", name, err)
	}
	return nil
}

// search returns the numbers of messages of the chosen folder from one on, in ascending order.
func (c *Client) search(from imap.UID, criteria imap.SearchCriteria) (found []imap.UID, err error) {
	if c.selected.NumMessages == 0 {
		return nil, nil // QUIRK: Proton Mail Bridge refuses to search an empty folder
	}
	if next := c.selected.UIDNext; next > maxListed { // 0 if the server does not say it
		from = max(from, next-maxListed)
	}
	if from > 1 { // QUIRK: GNU Mailutils finds nothing in 1:*
		criteria.UID = []imap.UIDSet{{{Start: from}}} // to the last one
	}
	criteria.NotFlag = append(criteria.NotFlag, imap.FlagDeleted)
	var set imap.UIDSet
	err = c.do(listBytes, c.options.Timeout, func() error {
		data, err := c.client.UIDSearch(&criteria, nil).Wait()
		if err == nil {
			set, _ = data.All.(imap.UIDSet)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("search the folder %s: %w", c.selected.folder, err)
	}
	for _, r := range set { // a server can claim any number of messages in a few bytes
		// The last message is found even if its number is less.
		for uid := max(r.Start, from); uid != 0 && uid <= r.Stop && len(found) < maxListed; uid++ {
			found = append(found, uid)
		}
	}
	return found, nil
}

// sent is what a server sends of a message.
type sent struct {
	sync.Mutex
	uid imap.UID // of the message that is wanted
	raw []byte   // nil until it has come
}

// take reads a message. The library gives only those to its command whose number is before their content, and each once.
func (s *sent) take(m *imapclient.FetchMessageData) error {
	s.Lock()
	defer s.Unlock()
	var uid imap.UID
	var raw []byte
	for item := m.Next(); item != nil; item = m.Next() {
		switch item := item.(type) {
		case imapclient.FetchItemDataUID:
			uid = item.UID
		case imapclient.FetchItemDataBodySection:
			if item.Literal == nil {
				continue
			}
			var err error
			if raw, err = io.ReadAll(item.Literal); int64(len(raw)) < item.Literal.Size() {
				return cmp.Or(err, io.ErrUnexpectedEOF) // QUIRK: the library would read on, in two goroutines
			}
		}
	}
	if uid == s.uid && raw != nil {
		s.raw = raw
	}
	return nil
}

// want returns the message that has come, and takes another one from now on.
func (s *sent) want(uid imap.UID) (raw []byte) {
	s.Lock()
	defer s.Unlock()
	raw, s.uid, s.raw = s.raw, uid, nil
	return raw
}

// fetch returns a message of the chosen folder and leaves it unseen. The error is [fs.ErrNotExist] for one that is no longer there, and
// [corpus.ErrTooLarge] for one that is too large.
func (c *Client) fetch(uid imap.UID) ([]byte, error) {
	const most, ofTLS = message.MaxSize + 1, message.MaxSize / 8 // each record of TLS, which may be small, has some 30 bytes more
	options := &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{{Peek: true, Partial: &imap.SectionPartial{Size: most}}}}
	var raw []byte
	err := c.do(most+ofTLS+idleBytes, c.options.Fetch, func() error {
		c.sent.want(uid)
		command := c.client.Fetch(imap.UIDSetNum(uid), options)
		for m := command.Next(); m != nil; m = command.Next() {
			if err := c.sent.take(m); err != nil {
				return err
			}
		}
		err := command.Close()
		raw = c.sent.want(0)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case raw == nil:
		return nil, fs.ErrNotExist
	case len(raw) > message.MaxSize:
		return nil, corpus.ErrTooLarge
	}
	return raw, nil
}
