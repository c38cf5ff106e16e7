package imap

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Account is a mailbox on a server.
type Account struct {
	Host, Port, User string
	// StartTLS reports whether TLS begins by a command, as with imap://, or with the connection, as with imaps://.
	StartTLS bool
}

// ParseAccount reads an address such as imaps://anna@imap.example.org. The user may contain "@". The error does not have the address, which
// may contain a password.
func ParseAccount(address string) (Account, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "imap" && u.Scheme != "imaps" || u.User == nil || u.Hostname() == "" || u.User.Username() == "" ||
		u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return Account{}, errors.New("must be imaps://USER@HOST, or imap://USER@HOST for a server that begins TLS by STARTTLS")
	}
	if _, has := u.User.Password(); has {
		return Account{}, errors.New("has a password, which other users of this machine can see")
	}
	a := Account{Host: u.Hostname(), Port: u.Port(), User: u.User.Username(), StartTLS: u.Scheme == "imap"}
	if strings.ContainsFunc(a.User, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return Account{}, errors.New("has a user with control characters")
	}
	switch {
	case a.Port != "":
	case a.StartTLS:
		a.Port = "143"
	default:
		a.Port = "993"
	}
	return a, nil
}

// String names the account: USER@HOST, and the port if it is not the usual one.
func (a Account) String() string {
	host := a.Host
	if usual := map[bool]string{false: "993", true: "143"}[a.StartTLS]; a.Port != usual {
		host = net.JoinHostPort(a.Host, a.Port)
	}
	return fmt.Sprintf("%s@%s", a.User, host)
}
