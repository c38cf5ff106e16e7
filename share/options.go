package share

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"chaff/internal/fieldtags"
	"chaff/store"
)

// Options configure sharing.
type Options struct {
	// Nats are the servers, such as ["tls://a.example.org", "tls://b.example.org"], or one of them, which names the others. A server that
	// is not this machine must be reached by TLS. Default [].
	Nats []string `json:"nats" default:""`
	// Filter names what is shared: hosts with the same name teach each other. Letters, digits, - and _. Default "mail".
	Filter string `json:"filter" default:"mail"`
	// Host is the name of this machine among them, at most 8 letters, digits, - and _, which no other one may have. It is what chaff learn
	// --forget --origin takes. "" is the name of the machine up to its first dot, if that is short enough. Default "".
	Host string `json:"host"`
	// NkeyFile names the file with the nkey of this host, its seed. "" is none. Default "".
	NkeyFile string `json:"nkey_file"`
	// CAFile names the file with the certificates, as PEM, by which the servers are verified. "" are those of the system. Default "".
	CAFile string `json:"ca_file"`
	// Keep is for how many days the servers keep what was taught. A host that was away for longer begins with the last fit. From 1 to 36500. Default 30.
	Keep int `json:"keep" range:"from 1 to 36500" default:"30"`
	// Rate is how many records of one host are shared in an hour. Further ones wait in its log or, if the host exceeds its rate, in the stream. 0
	// is no limit. At least 0. Default 1000.
	Rate int `json:"rate" range:"at least 0" default:"1000"`
	// Fit makes this host fit the model for all, after store.retrain_after records of the stream, or once a day. It also makes the stream. One host
	// does so.
	// Default false.
	Fit bool `json:"fit"`

	// Pause is the shortest time between two fits.
	Pause time.Duration `json:"-" default:"30000000000"`
}

// DefaultOptions returns the default options.
func DefaultOptions() Options { return fieldtags.Default[Options]() }

var isName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Validate returns everything that is wrong with o.
func (o Options) Validate() error {
	errs := []error{fieldtags.Check(o)}
	if !isName.MatchString(o.Filter) {
		errs = append(errs, fmt.Errorf("filter is %q: must be letters, digits, - and _", o.Filter))
	}
	if o.Host != "" && (!isName.MatchString(o.Host) || len(o.Host) > store.MaxOrigin) {
		errs = append(errs, fmt.Errorf("host is %q: must be at most %d letters, digits, - and _", o.Host, store.MaxOrigin))
	}
	for _, server := range o.Nats {
		if _, err := isSafe(server); err != nil {
			errs = append(errs, fmt.Errorf("nats: %w", err))
		}
	}
	return errors.Join(errs...)
}

// isSafe reports whether a server is on this machine, so that it needs no TLS. The error says what is wrong with its address.
func isSafe(server string) (loopback bool, err error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
		return false, fmt.Errorf("%q: must be an address like tls://mail.example.org:4222", server)
	}
	ip := net.ParseIP(u.Hostname())
	loopback = u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if !loopback && u.Scheme != "tls" {
		return false, fmt.Errorf("%q: records have the words of mail, so only tls:// may leave this machine", server)
	}
	return loopback && u.Scheme != "tls", nil
}

func (o Options) name() (string, error) {
	if o.Host != "" {
		return o.Host, nil
	}
	host, err := os.Hostname()
	host, _, _ = strings.Cut(host, ".")
	if err == nil && (!isName.MatchString(host) || len(host) > store.MaxOrigin) {
		err = fmt.Errorf("the name of the machine is %q: name it with share.host, at most %d letters, digits, - and _", host, store.MaxOrigin)
	}
	return host, err
}

// connect connects to the servers, now or as soon as one answers.
func (o Options) connect(name string, say func(string)) (*nats.Conn, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(o.Nats) == 0 {
		return nil, errors.New("no server: name one with --nats or share.nats")
	}
	options := []nats.Option{
		nats.Name("chaff share " + name), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(time.Second), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(2 * time.Second),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { say(err.Error()) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				say("the connection ended: " + err.Error())
			}
		}),
	}
	if o.NkeyFile != "" {
		nkey, err := nats.NkeyOptionFromSeed(o.NkeyFile)
		if err != nil {
			return nil, fmt.Errorf("read the nkey in %s: %w", o.NkeyFile, err)
		}
		options = append(options, nkey)
	}
	if slices.ContainsFunc(o.Nats, func(server string) bool { safe, _ := isSafe(server); return !safe }) {
		options = append(options, nats.Secure())
		if o.CAFile != "" {
			options = append(options, nats.RootCAs(o.CAFile))
		}
	} else {
		options = append(options, nats.IgnoreDiscoveredServers())
	}
	return nats.Connect(strings.Join(o.Nats, ","), options...)
}
