package maillab

// StartPostfix starts Postfix with Debian's configuration and what the test has added to it. It takes mail for lab.example
// at port 25, and tries deferred mail again every second.
func (l *Lab) StartPostfix() {
	l.t.Helper()
	l.Run("root", `mkdir -p /var/log/maillab && chmod 1777 /var/log/maillab
		postconf -e myhostname=mx.lab.example mydestination=lab.example,localhost relayhost= inet_interfaces=loopback-only \
			inet_protocols=ipv4 smtp_dns_support_level=disabled smtpd_peername_lookup=no smtpd_tls_security_level=none \
			minimal_backoff_time=1s maximal_backoff_time=1s queue_run_delay=1s \
			maillog_file_prefixes=/var/log maillog_file=/var/log/maillab/postfix
		newaliases && /usr/lib/postfix/configure-instance.sh - && postfix start`)
	l.Dial(25).Close()
}

// StartDovecot starts Dovecot with Debian's configuration and what the test has added to it. It serves IMAP at port 143,
// without encryption.
func (l *Lab) StartDovecot() {
	l.t.Helper()
	l.Write("/etc/dovecot/conf.d/98-maillab.conf", "ssl = no\ndisable_plaintext_auth = no\nlisten = 127.0.0.1\nlog_path = /var/log/maillab/dovecot\n", 0o644)
	l.Run("root", "mkdir -p /var/log/maillab && chmod 1777 /var/log/maillab && dovecot")
	l.Dial(143).Close()
}
