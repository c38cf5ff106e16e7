package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/config"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/message"
	"chaff/serve/web"
	"chaff/store"
)

type doctor struct {
	*program
	maildir   string
	protocols []protocol // with the addresses of their sockets
	now       time.Time
	findings  []finding
}

// finding is what one check found, and what to do about it if it is bad.
type finding struct {
	About string `json:"about"`
	Bad   bool   `json:"bad"`
	Found string `json:"found"`
	Do    string `json:"do,omitempty"`
}

func (d *doctor) describe(a *answer) {
	for _, f := range d.findings {
		mark, text := "good", screen.Quoted(f.Found)
		if f.Bad {
			mark = "BAD"
		}
		if f.Do != "" {
			text += ": " + screen.Quoted(f.Do)
		}
		a.fact(f.About, "%s %s", mark, text)
	}
}

func doctorCommand(p *program) *cobra.Command {
	d := doctor{program: p, protocols: protocols(), now: time.Now()}
	c := &cobra.Command{
		Use:   "doctor [-m FILE]",
		Short: "Check what an administrator would, and say what to do",
		Long: `Doctor checks the model and its log, when they were fitted and what they learned
lately, the sockets of chaff serve, whether the newest mail was judged, the
hooks of Dovecot, the clock, the disk and the memory: a line for each, with what
to do. The exit code is 1 if a line is bad. Run it as root, or as the user of
the daemon, who can rarely read the mail of others.

Without addresses it asks the sockets of the units, /run/chaff/PROTOCOL.sock.`,
		Example: `  chaff doctor
  chaff doctor -m /var/lib/chaff/model --maildir /home/anna/Maildir
  chaff doctor --milter unix:/var/spool/postfix/chaff/milter.sock --json`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if p.model == "" {
				return p.hasStore(p.model)
			}
			d.run()
			if slices.ContainsFunc(d.findings, func(f finding) bool { return f.Bad }) {
				p.code = exitError
			}
			return p.show(map[string]any{"file": p.model, "findings": d.findings}, d.describe)
		},
	}
	p.addModelFile(c, "check", "print the findings as JSON")
	c.Flags().StringVar(&d.maildir, "maildir", "", "find out whether the newest message of the Maildir `PATH` was judged")
	for i, protocol := range d.protocols {
		c.Flags().StringSliceVar(&d.protocols[i].addresses, protocol.flag, nil, "ask the socket at `ADDRESS`: unix:PATH, HOST:PORT or a port")
	}
	return c
}

func (d *doctor) good(about, format string, args ...any) {
	d.findings = append(d.findings, finding{About: about, Found: fmt.Sprintf(format, args...)})
}

func (d *doctor) bad(about, do, format string, args ...any) {
	d.findings = append(d.findings, finding{About: about, Bad: true, Found: fmt.Sprintf(format, args...), Do: do})
}

func (d *doctor) run() {
	d.settings()
	d.files()
	d.learning()
	d.sockets()
	d.newestMail()
	d.dovecot()
	d.disk()
	d.memory()
}

// files checks whether this user, and the owner of the folder, can read and write the model, its log and the token of the daemon, and whether
// others cannot.
func (d *doctor) files() {
	const ofMail = "it has words of your mail" // so it is secret
	folder, noLog := filepath.Dir(d.model), "a model without a log cannot learn: chaff restore has it from a backup, and chaff train makes both"
	if store.HasEarlier(d.model) {
		noLog = "chaff retrain -m " + hint.Word(d.model) + " makes it, and the model anew, from the store of an earlier version"
	}
	for _, file := range []struct{ about, path, missing, secret string }{
		{"model", d.model, cmp.Or(delivery.Anew(d.model, filter.ErrTruncated), "chaff train -m "+hint.Word(d.model)+" --maildir PATH makes one"), ofMail},
		{"log", filter.LogOf(d.model), noLog, ofMail},
		{"token", web.TokenFile(d.model), "remove it, and the daemon makes a new one", "the daemon does not start"},
	} {
		open, info, err := replace.OpenRegular(file.path, "", os.O_RDWR)
		if err == nil {
			open.Close()
		}
		switch {
		case errors.Is(err, fs.ErrNotExist) && file.about == "token": // only HTTP has one
		case errors.Is(err, replace.ErrSpecial):
			d.bad(file.about, "move it away, or name another model with -m FILE", "%s: %v", file.path, err)
		case errors.Is(err, fs.ErrNotExist):
			d.bad(file.about, file.missing, "%s: %v", file.path, err)
		case errors.Is(err, fs.ErrPermission), errors.Is(err, replace.ErrLink):
			d.bad(file.about, "run doctor as root or as the user of the daemon, who must own it: chown", "%s cannot be read and written by this user", file.path)
		case err != nil:
			d.bad(file.about, "mount the disk for writing, or move the model to another one", "%s cannot be written: %v", file.path, err)
		case info.Size() == 0, file.about == "token" && info.Size() < web.MinToken:
			d.bad(file.about, file.missing, "%s is empty or too short", file.path)
		case file.about != "token" && errors.Is(filter.FileKind().Check(file.path), replace.ErrMount):
			d.bad(file.about, "mount "+folder+" instead", "%s is mounted by itself, so no new file can take its place", file.path)
		case file.about == "model" && filter.FileKind().Check(file.path) != nil:
			d.bad(file.about, "-m FILE names a model", "%s is no model of chaff", file.path)
		case !sameOwner(file.path, folder) && sameOwner(folder, "/"):
			d.bad(file.about, "chown --reference="+hint.Word(file.path)+" "+hint.Word(folder), "%s belongs to another user than its folder, which is root's", file.path)
		case !sameOwner(file.path, folder):
			d.bad(file.about, "chown --reference="+hint.Word(folder)+" "+hint.Word(file.path), "%s belongs to another user than its folder, as whom the daemon runs", file.path)
		case replace.Others(info) != 0:
			d.bad(file.about, "chmod 600 "+hint.Word(file.path), "%s: others can use it, and %s", file.path, file.secret)
		default:
			d.good(file.about, "%s, %s, written %s", file.path, sizeOf(info.Size()), ago(d.now, info.ModTime()))
		}
	}
	if err := replace.Probe(folder, true); errors.Is(err, fs.ErrPermission) {
		d.bad("folder", "give it to the user of the daemon with chown", "no file can be written in %s: %v", folder, err)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.bad("folder", "make room on its disk, and mount it for writing", "no file can be written in %s: %v", folder, err)
	} else if info, err := os.Stat(folder); err == nil && replace.Others(info)&0o022 != 0 {
		d.bad("folder", "chmod 700 "+hint.Word(folder), "others can write in %s", folder)
	}
}

// settings checks the settings of the daemon of the package.
func (d *doctor) settings() {
	const file = "/etc/chaff/config.toml"
	info, err := os.Stat(file)
	if err != nil {
		return
	}
	if _, err := config.Load(config.Sources{File: file}); err != nil {
		d.bad("settings", "correct it, then systemctl restart chaff; chaff config --explain serve lists all", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	} else if info.Mode().Perm()&0o044 == 0 && !sameOwner(file, filepath.Dir(d.model)) {
		d.bad("settings", "chmod 644 "+file, "%s can be read by its owner alone, not by the daemon", file)
	} else {
		d.good("settings", "%s can be read", file)
	}
}

// ago says how long before now a time was.
func ago(now, at time.Time) string {
	switch since := now.Sub(at); {
	case since < 2*time.Hour:
		return screen.Plural(max(0, int(since.Minutes())), "minute") + " ago"
	case since < 48*time.Hour:
		return screen.Plural(int(since.Hours()), "hour") + " ago"
	default:
		return screen.Plural(int(since.Hours()/24), "day") + " ago"
	}
}

// A fit is old when so much time has passed with so many changes.
const (
	oldFit      = 30 * 24 * time.Hour
	manyChanges = 100
)

// learning checks what the model has learned, and by which clock.
func (d *doctor) learning() {
	v, err := store.Look(d.model)
	if err == nil {
		defer v.Close()
		err = v.Verify()
	}
	if err != nil {
		isMissing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, replace.ErrFolder) || errors.Is(err, replace.ErrSpecial) || errors.Is(err, store.ErrEarlier) || errors.Is(err, store.ErrNone) && d.hasStore(d.model) != nil
		if !isMissing && !errors.Is(err, fs.ErrPermission) { // which files has said
			d.bad("learning", cmp.Or(delivery.Anew(d.model, err), "chaff restore --replace makes both anew from a backup"), "%v", err)
		}
		return
	}
	if err := unused(d.model); err != nil {
		d.bad("learning", fromLog(d.model), "%v", err)
	}
	s := v.Status(d.now)
	switch {
	case s.Fitted == nil:
		d.bad("fit", "chaff retrain"+d.use(), "the model was never fitted to what it has learned")
	case d.now.Sub(*s.Fitted) > oldFit && s.Changed > manyChanges:
		d.bad("fit", "chaff retrain"+d.use()+", best every week, as chaff-retrain.timer does", "%s, and %s since", ago(d.now, *s.Fitted), screen.Plural(s.Changed, "change"))
	default:
		d.good("fit", "%s, %s since", ago(d.now, *s.Fitted), screen.Plural(s.Changed, "change"))
	}
	var newest time.Time
	var month []string
	for _, class := range s.Classes {
		month = append(month, fmt.Sprintf("%s %s, %s of them taught in 30 days", screen.Grouped(class.Messages), class.Class, screen.Grouped(class.Month)))
		if class.Last != nil && class.Last.After(newest) {
			newest = *class.Last
		}
	}
	for _, problem := range s.Problems {
		d.bad("learning", "chaff learn teaches it; docs/learning.md says how it learns from mailboxes", "%s", problem)
	}
	if len(s.Problems) == 0 {
		d.good("learning", "%s", strings.Join(month, "; "))
	}
	const minute = "2006-01-02 15:04 MST"
	if newest.Sub(d.now) > time.Hour {
		d.bad("clock", "set the clock: timedatectl; if it is right, it was ahead then, and what was learned counts", "%s, and a message was learned at %s", d.now.Format(minute), newest.Format(minute))
	} else {
		d.good("clock", "%s, after all that was learned", d.now.Format(minute))
	}
}

// sockets asks the daemon by each protocol, as its clients do.
func (d *doctor) sockets() {
	asked := false
	for _, protocol := range d.protocols {
		addresses := protocol.addresses
		if unit := "/run/chaff/" + protocol.flag + ".sock"; len(addresses) == 0 {
			if _, err := os.Stat(unit); err == nil {
				addresses = []string{"unix:" + unit}
			}
		}
		for _, address := range addresses {
			asked = true
			began := time.Now()
			switch err := protocol.ask(address); {
			case errors.Is(err, errAddress):
				d.bad(protocol.flag, "give the address of chaff serve --"+protocol.flag, "%s is no address: it %v", address, err)
			case errors.Is(err, fs.ErrPermission):
				d.bad(protocol.flag, "run doctor as root", "%s: this user may not open it", address)
			case errors.Is(err, errNobody):
				d.bad(protocol.flag, "systemctl enable chaff@"+protocol.flag+".socket; systemctl restart chaff; or start chaff serve", "%s: %v", address, err)
			case err != nil:
				d.bad(protocol.flag, "look at the log of the daemon: journalctl -u chaff", "%s: %v", address, err)
			default:
				d.good(protocol.flag, "%s answers in %d ms", address, time.Since(began).Milliseconds())
			}
		}
	}
	switch {
	case !asked && d.model == "/var/lib/chaff/model": // that of the units
		d.bad("sockets", "systemctl enable chaff@milter.socket, or another protocol; systemctl restart chaff; or name those of chaff serve, such as --milter unix:PATH",
			"there is none in /run/chaff")
	case !asked:
		d.good("sockets", "not asked: name those of chaff serve, such as --milter unix:PATH")
	}
}

var errNobody = errors.New("nobody answers")

// ask finds out whether a socket answers a client of the protocol.
func (p protocol) ask(address string) error {
	const socketPatience = 20 * time.Second // a daemon that systemd starts for the first client reads its model first
	network, address, err := parseAddress(address)
	if err != nil {
		return err
	}
	conn, err := net.DialTimeout(network, address, socketPatience)
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err != nil {
		return errNobody
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(socketPatience)) // reading fails instead
	if _, err := conn.Write([]byte(p.say)); err != nil {
		return fmt.Errorf("it takes no request: %w", err)
	}
	heard := make([]byte, len(p.hear))
	n, err := io.ReadFull(conn, heard)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("it does not answer in %d s: the daemon may not start", int(socketPatience.Seconds()))
	}
	if string(heard[:n]) != p.hear {
		return cmp.Or(err, fmt.Errorf("it answers %q, not as %s does", heard, p.flag))
	}
	return nil
}

// newestMail finds out whether the newest message of a Maildir has a verdict in its header.
func (d *doctor) newestMail() {
	if d.maildir == "" {
		return
	}
	var newest string
	var at time.Time
	for _, folder := range []string{"new", "cur"} {
		var entries []fs.DirEntry
		open, err := replace.OpenExisting(filepath.Join(d.maildir, folder), os.O_RDONLY)
		if err == nil {
			entries, err = open.ReadDir(-1)
			open.Close()
		}
		if err != nil {
			d.bad("newest mail", "name a Maildir, and run doctor as root", "%s is no Maildir that this user can read: %v", d.maildir, replace.Reason(err))
			return
		}
		for _, entry := range entries {
			info, err := entry.Info()
			if err == nil && info.Mode().IsRegular() && entry.Name()[0] != '.' && info.ModTime().After(at) {
				newest, at = filepath.Join(d.maildir, folder, entry.Name()), info.ModTime()
			}
		}
	}
	if newest == "" {
		d.good("newest mail", "there is none in %s", d.maildir)
		return
	}
	const judgedWithin = 256 << 10 // bytes of a message, among which is its verdict
	var raw []byte
	file, _, err := replace.OpenRegular(newest, "", os.O_RDONLY) // it may have become a pipe
	if err == nil {
		defer file.Close()
		raw, err = io.ReadAll(io.LimitReader(file, judgedWithin))
	}
	if err != nil {
		d.bad("newest mail", "run doctor as root", "%s: %v", newest, replace.Reason(err))
		return
	}
	m := message.NewDecoder(message.DefaultOptions()).Decode(raw)
	switch verdict, unjudged := m.Get("X-Chaff-Verdict"), m.Get("X-Chaff-Unjudged"); {
	case len(verdict) > 0:
		d.good("newest mail", "it came %s and was judged %s", ago(d.now, at), verdict)
	case len(unjudged) > 0:
		d.bad("newest mail", "chaff config --explain serve lists the limits; journalctl -u chaff has more", "it came %s and passed unjudged: %s", ago(d.now, at), unjudged)
	default:
		d.bad("newest mail", "the mail server does not ask chaff: look at its settings and its log, and at docs/recipes", "it came %s and has no field X-Chaff-Verdict", ago(d.now, at))
	}
}

// disk checks whether the model can be fitted again.
func (d *doctor) disk() {
	need := int64(100 << 20) // of a fit, beside twice the model and the log
	for _, path := range []string{d.model, filter.LogOf(d.model)} {
		if info, err := os.Stat(path); err == nil {
			need += 2 * info.Size()
		}
	}
	if free, known := freeOnDisk(filepath.Dir(d.model)); known && free < need {
		d.bad("disk", "make room, or give the model another disk", "%s are free, and a fit may need %s", sizeOf(free), sizeOf(need))
	} else if known {
		d.good("disk", "%s are free", sizeOf(free))
	}
}

// dovecot finds out whether a Dovecot that is installed calls chaff when a message is moved.
func (d *doctor) dovecot() {
	out, err := exec.Command("doveconf", "-n").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return
	}
	if err != nil {
		d.bad("dovecot", "doveconf -n says what is wrong", "its configuration cannot be read")
		return
	}
	// Dovecot 2.3 has imapsieve_mailbox1_before = file:PATH, and 2.4 the path of a script within the block of a mailbox.
	hook := regexp.MustCompile(`(?m)^(?:.*imapsieve_.*= file:| {4,}path = )(\S*\.sieve)`)
	for _, found := range hook.FindAllStringSubmatch(string(out), -1) {
		if text, err := os.ReadFile(found[1]); !errors.Is(err, fs.ErrPermission) && !strings.Contains(string(text), "chaff") {
			continue
		}
		if !strings.Contains(string(out), "vsz_limit") { // which has the default, 256 MB
			d.bad("dovecot", "add the lines vsz_limit of docs/recipes/dovecot.md", "it gives chaff too few addresses to start")
		} else {
			d.good("dovecot", "moving a message to or from Junk teaches chaff")
		}
		return
	}
	d.good("dovecot", "no hook of it calls chaff: docs/recipes/dovecot.md has some, by which moving a message teaches")
}

func (d *doctor) memory() {
	const roomInMemory = 512 << 20 // bytes that the daemon needs
	addresses, free, known := memoryLeft()
	switch {
	case !known:
	case addresses < roomInMemory:
		d.bad("memory", "raise the limit, such as vsz_limit of Dovecot or ulimit -v", "this process may have %s of addresses, and needs %s", sizeOf(addresses), sizeOf(roomInMemory))
	case free < roomInMemory:
		d.bad("memory", "end other programs, or give the machine more", "%s are free, and the daemon may need %s", sizeOf(free), sizeOf(roomInMemory))
	default:
		d.good("memory", "%s are free", sizeOf(free))
	}
}
