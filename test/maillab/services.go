//go:build linux

package maillab

import "strings"

// StartPostfix starts Postfix with Debian's configuration and what the test has added to it. It takes mail for lab.example
// at port 25, and tries deferred mail again after three seconds. After less, its queue manager can come upon a message that is
// still locked, and leaves it alone for minutes.
func (l *Lab) StartPostfix() {
	l.t.Helper()
	l.Run("root", `postconf -e myhostname=mx.lab.example mydestination=lab.example,localhost relayhost= inet_interfaces=loopback-only \
			inet_protocols=ipv4 smtp_dns_support_level=disabled smtpd_peername_lookup=no smtpd_tls_security_level=none \
			minimal_backoff_time=3s maximal_backoff_time=3s queue_run_delay=1s \
			maillog_file_prefixes=/var/log maillog_file=/var/log/maillab/postfix
		newaliases && { /usr/lib/postfix/configure-instance.sh - || true; } && postfix start`) // which calls the script itself from Debian 13 on
	l.Dial(25).Close()
}

// StartDovecot starts Dovecot with Debian's configuration and what the test has added to it. It serves IMAP at port 143, and
// with TLS at port 993, by the name imap.provider.example, which the programs of the lab trust.
func (l *Lab) StartDovecot() {
	l.t.Helper()
	l.Append("/etc/hosts", "127.0.0.1 imap.provider.example\n")
	settings := `disable_plaintext_auth = no
ssl_cert = </usr/local/share/ca-certificates/maillab.crt
ssl_key = </etc/dovecot/maillab.key
`
	if l.hasDovecot24() {
		settings = `auth_allow_cleartext = yes
ssl_server_cert_file = /usr/local/share/ca-certificates/maillab.crt
ssl_server_key_file = /etc/dovecot/maillab.key
`
	}
	l.Write("/etc/dovecot/conf.d/98-maillab.conf", settings+"listen = 127.0.0.1\nlog_path = /var/log/maillab/dovecot\nssl = yes\n", 0o644)
	l.Run("root", `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=imap.provider.example \
			-addext subjectAltName=DNS:imap.provider.example -keyout /etc/dovecot/maillab.key -out /usr/local/share/ca-certificates/maillab.crt
		cat /usr/local/share/ca-certificates/maillab.crt >>/etc/ssl/certs/ca-certificates.crt
		hash=$(openssl x509 -hash -noout -in /usr/local/share/ca-certificates/maillab.crt)
		ln -sf /usr/local/share/ca-certificates/maillab.crt /etc/ssl/certs/$hash.0
		dovecot`)
	l.Dial(143).Close()
}

// hasDovecot24 reports whether the lab has Dovecot 2.4, whose settings are others than those of 2.3.
func (l *Lab) hasDovecot24() bool {
	l.t.Helper()
	return strings.HasPrefix(l.Run("root", "dovecot --version"), "2.4")
}

// StartRedis starts Redis at port 6379.
func (l *Lab) StartRedis() {
	l.t.Helper()
	l.Run("root", "redis-server --bind 127.0.0.1 --daemonize yes --save '' --dir /tmp --logfile /var/log/maillab/redis")
	l.Dial(6379).Close()
}

// StartSpamd starts SpamAssassin's spamd at port 783, without network tests, and with learning by TELL.
func (l *Lab) StartSpamd() {
	l.t.Helper()
	l.AddUser("spamd")
	l.Append("/etc/spamassassin/local.cf", "use_bayes 1\nbayes_auto_learn 0\nskip_rbl_checks 1\nbayes_path /home/spamd/bayes\n")
	l.Run("root", "spamd --daemonize --local --listen 127.0.0.1 --port 783 --nouser-config --username spamd --max-children 2 --allow-tell --syslog /var/log/maillab/spamd")
	l.Dial(783).Close()
}

// StartRspamd starts rspamd, with its statistics in Redis: its worker at port 11333, its controller at port 11334 with the
// password "secret", and its milter at port 11332. Debian's configuration is not used: without DNS, its modules take more
// than a minute to start.
func (l *Lab) StartRspamd() {
	l.t.Helper()
	l.Write("/etc/rspamd/maillab.conf", `options {
  pidfile = "/run/rspamd/pid"; filters = "chartable,regexp"; rrd = "";
  dns { nameserver = ["127.0.0.1:1:1"]; timeout = 0.1s; retransmits = 1; }
  url_tld = "/usr/share/rspamd/effective_tld_names.dat";
  classify_headers = ["User-Agent", "X-Mailer", "Content-Type", "X-MimeOLE"];
}
logging { type = "file"; filename = "/var/log/maillab/rspamd"; level = "notice"; }
worker "normal" { bind_socket = "127.0.0.1:11333"; count = 1; }
worker "controller" { bind_socket = "127.0.0.1:11334"; password = "secret"; enable_password = "secret"; secure_ip = []; }
worker "rspamd_proxy" { bind_socket = "127.0.0.1:11332"; milter = yes; timeout = 60s; upstream "local" { default = yes; self_scan = yes; } count = 1; }
actions { reject = 15; add_header = 6; greylist = 4; }
classifier "bayes" {
  tokenizer { name = "osb"; }
  backend = "redis"; servers = "127.0.0.1:6379"; new_schema = true; min_tokens = 1; min_learns = 1;
  statfile { symbol = "BAYES_HAM"; spam = false; }
  statfile { symbol = "BAYES_SPAM"; spam = true; }
}
metric "default" { symbol "BAYES_SPAM" { weight = 5.1; } symbol "BAYES_HAM" { weight = -3.0; } }
lua = "/usr/share/rspamd/rules/rspamd.lua";
milter_headers { use = ["x-spamd-bar", "x-spam-level", "authentication-results", "x-spam-status"]; skip_local = false; skip_authenticated = false; }
modules { path = "/usr/share/rspamd/plugins/milter_headers.lua"; }
`, 0o644)
	l.Run("root", `mkdir -p /run/rspamd /var/lib/rspamd && chown _rspamd: /run/rspamd /var/lib/rspamd
		rspamd -c /etc/rspamd/maillab.conf -u _rspamd -g _rspamd --var=CONFDIR=/etc/rspamd --var=LOCAL_CONFDIR=/etc/rspamd \
			--var=DBDIR=/var/lib/rspamd --var=RUNDIR=/run/rspamd --var=LOGDIR=/var/log/maillab >/var/log/maillab/rspamd-start 2>&1`)
	l.Dial(11334).Close()
}

// StartExim starts Exim at port 25. It takes mail for lab.example and delivers it to the Maildirs of users. A test adds options
// to the main section, statements to the access list that is asked when the message has come, and the line that says which Maildir it
// is, or an empty one.
func (l *Lab) StartExim(options, statements, directory string) {
	if directory == "" {
		directory = "directory = $home/Maildir"
	}
	l.t.Helper()
	l.Write("/var/lib/exim4/config.autogenerated", options+`
exim_user = mail
exim_group = mail
primary_hostname = mx.lab.example
qualify_domain = lab.example
keep_environment =
domainlist local_domains = lab.example
spool_directory = /var/spool/exim4
log_file_path = /var/log/maillab/exim-%slog
pid_file_path = /run/exim.pid
daemon_smtp_ports = 25
local_interfaces = 127.0.0.1
tls_advertise_hosts =
host_lookup =
rfc1413_query_timeout = 0s
acl_smtp_rcpt = accept
acl_smtp_data = check_data
begin acl
check_data:
`+statements+`
  accept
begin routers
users:
  driver = accept
  domains = +local_domains
  check_local_user
  transport = maildir
begin transports
maildir:
  driver = appendfile
`+directory+`
  maildir_format
  delivery_date_add
  envelope_to_add
  return_path_add
begin retry
* * F,1h,1s
`, 0o644)
	l.Run("root", `id Debian-exim >/dev/null 2>&1 || useradd --system Debian-exim
		mkdir -p /var/spool/exim4 && chown -R mail: /var/spool/exim4
		exim4 -bd -q1s`)
	l.Dial(25).Close()
}

// SendmailConfigFile is where a test adds to the configuration of Sendmail before it starts.
const SendmailConfigFile = "/etc/mail/sendmail.mc"

// ConfigureSendmail writes a configuration that takes mail for lab.example at port 25 and delivers it by procmail, however busy the machine is.
func (l *Lab) ConfigureSendmail() {
	l.t.Helper()
	l.Write("/etc/mail/local-host-names", "lab.example\n", 0o644)
	l.Write("/etc/mail/aliases", "", 0o644)
	l.Write(SendmailConfigFile, "OSTYPE(`linux')dnl\n"+
		"define(`confDOMAIN_NAME', `mx.lab.example')dnl\ndefine(`confDEF_USER_ID', `mail:mail')dnl\ndefine(`confTO_IDENT', `0')dnl\n"+
		"define(`confREFUSE_LA', `999')dnl\ndefine(`confQUEUE_LA', `999')dnl\n"+
		"define(`PROCMAIL_MAILER_PATH', `/usr/bin/procmail')dnl\n"+
		"FEATURE(`local_procmail')dnl\nFEATURE(`accept_unresolvable_domains')dnl\nFEATURE(`nocanonify')dnl\nFEATURE(`no_default_msa')dnl\n"+
		"FEATURE(`use_cw_file')dnl\nDAEMON_OPTIONS(`Port=25, Addr=127.0.0.1, Name=MTA')dnl\nMAILER(local)dnl\nMAILER(smtp)dnl\n", 0o644)
}

// StartSendmail starts Sendmail with its configuration.
func (l *Lab) StartSendmail() {
	l.t.Helper()
	l.Run("root", `for u in smmta smmsp; do id $u >/dev/null 2>&1 || useradd --system $u; done
		mkdir -p -m 700 /var/spool/mqueue
		cd /usr/share/sendmail/cf/cf && m4 ../m4/cf.m4 `+SendmailConfigFile+` >/etc/mail/sendmail.cf
		/usr/libexec/sendmail/newaliases -C /etc/mail/sendmail.cf >/dev/null
		/usr/libexec/sendmail/sendmail -bD -q1s >/var/log/maillab/sendmail 2>&1 &`)
	l.Dial(25).Close()
}

// StartOpenSMTPD starts OpenSMTPD with a configuration.
func (l *Lab) StartOpenSMTPD(config string) {
	l.t.Helper()
	l.Write("/etc/smtpd.conf", config, 0o644)
	l.Run("root", `for u in opensmtpd opensmtpq; do id $u >/dev/null 2>&1 || useradd --system $u; done
		mkdir -p /var/lib/opensmtpd/empty && newaliases 2>/dev/null || touch /etc/aliases
		for q in purge queue corrupt incoming offline; do mkdir -p -m 700 /var/spool/smtpd/$q; chown opensmtpq /var/spool/smtpd/$q; done
		chgrp opensmtpq /usr/sbin/smtpctl; chmod g+s /usr/sbin/smtpctl
		chmod 711 /var/spool/smtpd; chmod 770 /var/spool/smtpd/offline; chown root:opensmtpq /var/spool/smtpd/offline
		smtpd -d -f /etc/smtpd.conf >/var/log/maillab/opensmtpd 2>&1 &`)
	l.Dial(25).Close()
}
