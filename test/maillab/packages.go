//go:build linux

package maillab

import (
	"os"
	"path/filepath"
)

// Package is what a test needs of Debian.
type Package struct {
	Names string // of Debian packages
	File  string // a file that shows that they are installed; if empty, they are unpacked in the lab from the folder TEST_MAILLAB
}

// The packages that tests ask for. Exim, OpenSMTPD and Sendmail cannot be installed beside Postfix.
var (
	Aerc      = Package{"aerc", "/usr/bin/aerc"}
	Curl      = Package{"curl", "/usr/bin/curl"}
	Dovecot   = Package{"dovecot-imapd dovecot-lmtpd dovecot-sieve openssl", "/usr/lib/dovecot/modules/lib90_sieve_plugin.so"}
	Fetchmail = Package{"fetchmail", "/usr/bin/fetchmail"}
	Getmail   = Package{"getmail6", "/usr/bin/getmail"}
	Maildrop  = Package{"maildrop", "/usr/bin/maildrop"}
	Mutt      = Package{"mutt", "/usr/bin/mutt"}
	Neomutt   = Package{"neomutt", "/usr/bin/neomutt"}
	Notmuch   = Package{"notmuch", "/usr/bin/notmuch"}
	Postfix   = Package{"postfix", "/usr/sbin/postfix"}
	Procmail  = Package{"procmail", "/usr/bin/procmail"}
	Redis     = Package{"redis-server", "/usr/bin/redis-server"}
	Rspamd    = Package{"rspamd", "/usr/bin/rspamd"}
	Spamd     = Package{"spamd spamc", "/usr/sbin/spamd"}
	Systemd   = Package{"systemd", "/lib/systemd/systemd"} // the first process of the lab
	Exim      = Package{"exim4-daemon-heavy", ""}
	OpenSMTPD = Package{"opensmtpd", ""}
	// OpenSMTPDRspamd is the filter of OpenSMTPD that asks rspamd.
	OpenSMTPDRspamd = Package{"opensmtpd-filter-rspamd", ""}

	// Prometheus has promtool, which checks rules of alerts.
	Prometheus = Package{"prometheus", ""}

	Sendmail       = Package{"sendmail-bin", ""}
	SendmailBase   = Package{"sendmail-base", ""}
	SendmailConfig = Package{"sendmail-cf", ""}
	M4             = Package{"m4 liblockfile1", "/usr/bin/m4"} // which Sendmail needs

	network = Package{"iproute2", "/sbin/ip"} // of every lab
)

// isThere reports whether a package is installed or can be unpacked.
func (p Package) isThere() bool {
	if p.File == "" {
		return p.archive() != ""
	}
	_, err := os.Stat(p.File)
	return err == nil
}

// archive returns the file of a package that is unpacked, or an empty string.
func (p Package) archive() string {
	found, _ := filepath.Glob(filepath.Join(os.Getenv("TEST_MAILLAB"), p.Names+"_*.deb")) // the pattern is valid
	if len(found) == 0 {
		return ""
	}
	return found[0]
}
