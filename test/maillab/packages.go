package maillab

// Package is a Debian package, and a file that shows that it is installed.
type Package struct{ Name, File string }

// The packages that tests ask for.
var (
	Aerc      = Package{"aerc", "/usr/bin/aerc"}
	Dovecot   = Package{"dovecot-imapd dovecot-lmtpd dovecot-sieve", "/usr/lib/dovecot/modules/lib90_sieve_plugin.so"}
	Fetchmail = Package{"fetchmail", "/usr/bin/fetchmail"}
	Getmail   = Package{"getmail6", "/usr/bin/getmail"}
	Maildrop  = Package{"maildrop", "/usr/bin/maildrop"}
	Mutt      = Package{"mutt", "/usr/bin/mutt"}
	Neomutt   = Package{"neomutt", "/usr/bin/neomutt"}
	Notmuch   = Package{"notmuch", "/usr/bin/notmuch"}
	Postfix   = Package{"postfix", "/usr/sbin/postfix"}
	Procmail  = Package{"procmail", "/usr/bin/procmail"}
)
