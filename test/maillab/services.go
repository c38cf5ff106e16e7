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

// StartDovecot starts Dovecot with Debian's configuration and what the test has added to it. It serves IMAP at port 143, and
// with TLS at port 993, by the name imap.provider.example, which the programs of the lab trust.
func (l *Lab) StartDovecot() {
	l.t.Helper()
	l.Append("/etc/hosts", "127.0.0.1 imap.provider.example\n")
	l.Write("/etc/dovecot/conf.d/98-maillab.conf", `disable_plaintext_auth = no
listen = 127.0.0.1
log_path = /var/log/maillab/dovecot
ssl = yes
ssl_cert = </usr/local/share/ca-certificates/maillab.crt
ssl_key = </etc/dovecot/maillab.key
`, 0o644)
	l.Run("root", `mkdir -p /var/log/maillab && chmod 1777 /var/log/maillab
		openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=imap.provider.example \
			-addext subjectAltName=DNS:imap.provider.example -keyout /etc/dovecot/maillab.key -out /usr/local/share/ca-certificates/maillab.crt
		cat /usr/local/share/ca-certificates/maillab.crt >>/etc/ssl/certs/ca-certificates.crt
		hash=$(openssl x509 -hash -noout -in /usr/local/share/ca-certificates/maillab.crt)
		ln -sf /usr/local/share/ca-certificates/maillab.crt /etc/ssl/certs/$hash.0
		dovecot`)
	l.Dial(143).Close()
}
