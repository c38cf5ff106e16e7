//go:build linux

// Package maillab runs mail programs for tests: Postfix, Dovecot, procmail and others, as Debian installs and configures them.
//
// A [Lab] is a copy of the machine's file system that is written to memory, with processes and a network of its own. So each
// program uses its usual files and ports, any number of labs run side by side, and nothing outside changes. A lab ends with
// its test, or with the process of the test, and nothing of it is left.
//
// Labs need Linux, root, and the programs that a test asks for. Tests that start one are skipped unless the variable
// TEST_MAILLAB is set, since they take a while. Its value is a folder for the Debian packages that cannot be installed beside
// Postfix, and for the clean systems of [StartClean] and
// [StartDovecot24].
package maillab

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Lab is a machine for mail programs.
type Lab struct {
	t   testing.TB
	pid int // of its first process
}

// begin makes the file system $1/root of that at $2, and ends with the first process of the lab.
const begin = `
set -e
umask 022
mount --make-rprivate /
mount -t tmpfs -o mode=755 maillab "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=$2,upperdir=$1/upper,workdir=$1/work" maillab "$1/root"
cd "$1/root"
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs -o mode=1777 maillab tmp
mount -t tmpfs -o mode=755 maillab run
mkdir -p run/lock var/log/maillab
chmod 1777 var/log/maillab
ip link set lo up
hostname mx.lab.example
pivot_root . mnt
umount -l /mnt
`

// alone is the first process of a lab without systemd, with which all others end: it waits for the end of its input.
const alone = `
echo begun
exec cat >/dev/null`

// systemd is the first process of a lab with it. Another one turns the lab off at the end of its input. What Debian's packages start,
// logins, and what would change the kernel is left out.
const systemd = `
umount -l /dev
mount -t tmpfs -o mode=755 maillab /dev
mkdir /dev/pts /dev/shm
for d in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 /dev/${d%:*} c 1 ${d#*:}; done
ln -s /proc/self/fd /dev/fd
ln -s pts/ptmx /dev/ptmx
mount -t devpts -o newinstance,ptmxmode=666,mode=620 maillab /dev/pts
mount --bind -o ro /proc/sys /proc/sys
mount -t sysfs -o ro maillab /sys
mount -t cgroup2 maillab /sys/fs/cgroup
for u in systemd-modules-load modprobe@ systemd-logind user@; do ln -s /dev/null /etc/systemd/system/$u.service; done
echo begun
exec 3<&0
{ cat <&3 >/dev/null; kill -48 1; } & # SIGRTMIN+14
container=maillab exec /lib/systemd/systemd --unit=sockets.target </dev/null >/dev/null 2>&1 3<&-`

// oneSystemd is held by the lab with systemd: two would share their control groups, and each would end the other's units.
var oneSystemd sync.Mutex

// Start starts a lab with Debian packages, or skips the test and says what is missing. Chaff's programs are in /usr/bin.
func Start(t testing.TB, packages ...Package) *Lab {
	t.Helper()
	if why := whyNot(append(packages, network)); why != "" {
		t.Skip(why)
	}
	l := start(t, "/", slices.Contains(packages, Systemd))
	l.writePrograms()
	for _, p := range packages {
		if p.File == "" {
			l.unpack(p.archive())
		}
	}
	return l
}

// StartDovecot24 starts a lab that is no copy of the machine, but of a Debian that has Postfix and Dovecot 2.4. Chaff's programs are in /usr/bin.
func StartDovecot24(t testing.TB) *Lab {
	t.Helper()
	l := start(t, debian(t, "dovecot24", "postfix,dovecot-imapd,dovecot-lmtpd,dovecot-sieve,openssl,ca-certificates", "trixie"), false)
	l.writePrograms()
	return l
}

// clean are the packages of the system that [StartClean] copies, beside the smallest Debian.
const clean = "systemd,systemd-sysv,postfix,curl,rpm"

// StartClean starts a lab with systemd that is no copy of the machine, but of a Debian on which nobody has done anything. It has Postfix,
// and nothing of chaff. The packages are unpacked in it.
func StartClean(t testing.TB, packages ...Package) *Lab {
	t.Helper()
	l := start(t, debian(t, "clean", clean, "bookworm", packages...), true)
	for _, p := range packages {
		l.unpack(p.archive())
	}
	return l
}

// debian returns the folder of a clean Debian, or skips the test and says what is missing.
func debian(t testing.TB, name, include, release string, packages ...Package) string {
	t.Helper()
	folder := filepath.Join(os.Getenv("TEST_MAILLAB"), name)
	why := whyNot(append(packages, network))
	if _, err := os.Stat(folder); why == "" && err != nil {
		why = "a clean Debian is missing; in the folder TEST_MAILLAB: debootstrap --variant=minbase --include=" + include + " " + release + " " + name
	}
	if why != "" {
		t.Skip(why)
	}
	return folder
}

// start starts a lab with a copy of a file system.
func start(t testing.TB, system string, withSystemd bool) *Lab {
	t.Helper()
	end := alone
	if withSystemd {
		end = systemd
		oneSystemd.Lock()
		t.Cleanup(oneSystemd.Unlock)
	}
	first := exec.Command("sh", "-c", begin+end, "maillab", t.TempDir(), system)
	first.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC | syscall.CLONE_NEWCGROUP,
	}
	var said bytes.Buffer
	first.Stderr = &said
	life, err := first.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatalf("start a lab: %v: it needs the right to make namespaces", err)
	}
	t.Cleanup(func() {
		life.Close()
		first.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "begun\n" {
		life.Close()
		first.Wait()
		t.Fatalf("start a lab: %v: %s", err, said.String())
	}
	l := &Lab{t, first.Process.Pid}
	l.Write("/etc/hosts", "127.0.0.1 localhost mx.lab.example\n::1 localhost\n", 0o644)
	if withSystemd {
		l.Wait("systemd", func() error {
			if out, err := l.Command("root", "systemctl is-active sockets.target").CombinedOutput(); err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		})
	}
	return l
}

// whyNot returns why no lab with these packages can be started, or an empty string.
func whyNot(packages []Package) string {
	if _, set := os.LookupEnv("TEST_MAILLAB"); !set {
		return "set TEST_MAILLAB=FOLDER to test with real mail programs, in namespaces of their own"
	}
	if os.Geteuid() != 0 {
		return "a lab needs root: its programs become other users"
	}
	var missing, packed []string
	for _, p := range packages {
		switch {
		case p.isThere():
		case p.File == "":
			packed = append(packed, p.Names)
		default:
			missing = append(missing, p.Names)
		}
	}
	var why []string
	if len(missing) > 0 {
		why = append(why, "apt-get install --no-install-recommends "+strings.Join(missing, " "))
	}
	if len(packed) > 0 {
		why = append(why, "in the folder TEST_MAILLAB: apt-get download "+strings.Join(packed, " "))
	}
	if len(why) > 0 {
		return "programs are missing: " + strings.Join(why, "; ")
	}
	return ""
}

// programs returns chaff's programs by name, built once.
var programs = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "maillab")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-o", dir, "chaff/cmd/chaff", "chaff/cmd/chaff-classify")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build chaff: %w: %s", err, out)
	}
	built := map[string][]byte{"chaff": nil, "chaff-classify": nil}
	for name := range built {
		if built[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return built, nil
})

// writePrograms writes chaff's programs.
func (l *Lab) writePrograms() {
	l.t.Helper()
	chaff, err := programs()
	if err != nil {
		l.t.Fatal(err)
	}
	for name, program := range chaff {
		l.Write("/usr/bin/"+name, string(program), 0o755)
	}
}

// unpack unpacks a Debian package in the lab.
func (l *Lab) unpack(archive string) {
	l.t.Helper()
	data, err := os.ReadFile(archive)
	if err != nil {
		l.t.Fatal(err)
	}
	l.Write("/tmp/package.deb", string(data), 0o644)
	l.Run("root", "dpkg-deb --fsys-tarfile /tmp/package.deb | tar --extract --keep-directory-symlink --directory / && rm /tmp/package.deb")
}

// Path returns where the test finds a file of the lab.
func (l *Lab) Path(name string) string {
	return filepath.Join("/proc", strconv.Itoa(l.pid), "root", name)
}

// Write writes a file, and makes its folder.
func (l *Lab) Write(name, text string, mode os.FileMode) {
	l.t.Helper()
	file := l.Path(name)
	err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), mode), os.Chmod(file, mode))
	if err != nil {
		l.t.Fatal(err)
	}
}

// Append adds text to a file.
func (l *Lab) Append(name, text string) {
	l.t.Helper()
	old, err := os.ReadFile(l.Path(name))
	if err != nil {
		l.t.Fatal(err)
	}
	l.Write(name, string(old)+"\n"+text, 0o644)
}

// Command returns a shell command that runs as a user in its home, with a login's environment.
func (l *Lab) Command(user, command string) *exec.Cmd {
	enter := []string{"--target", strconv.Itoa(l.pid), "--mount", "--net", "--pid", "--uts", "--ipc", "--root", "--wd=/", "--"}
	c := exec.Command("nsenter", append(enter, "su", "-s", "/bin/sh", "-", user, "-c", command)...)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	c.WaitDelay = time.Second // for daemons that keep the output open
	return c
}

// Run runs a shell command as a user and returns its output. A command that fails ends the test.
func (l *Lab) Run(user, command string) string {
	l.t.Helper()
	out, err := l.Command(user, command).CombinedOutput()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		l.t.Fatalf("as %s: %s: %v\n%s", user, command, err, out)
	}
	return string(out)
}

// AddUser makes a user with a home, who logs in with the password "secret".
func (l *Lab) AddUser(name string) {
	l.t.Helper()
	l.Run("root", "useradd --create-home --home-dir /home/"+name+" --shell /bin/sh "+name+" && echo "+name+":secret | chpasswd")
}

// Terminal is a program that runs in a terminal.
type Terminal struct {
	l      *Lab
	keys   io.Writer
	screen *lockedBuffer
}

// Terminal starts a shell command as a user in a terminal. It ends with the test.
func (l *Lab) Terminal(user, command string) *Terminal {
	l.t.Helper()
	c := l.Command(user, "TERM=xterm exec script -qefc 'stty rows 24 cols 80; "+command+"' /dev/null")
	keys, err := c.StdinPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	screen := &lockedBuffer{}
	c.Stdout, c.Stderr = screen, screen
	if err := c.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	return &Terminal{l, keys, screen}
}

// Type types keys as soon as the terminal has shown a text.
func (c *Terminal) Type(shown, keys string) {
	c.l.t.Helper()
	c.l.Wait(fmt.Sprintf("%q in a terminal", shown), func() error {
		if got := c.screen.String(); !strings.Contains(got, shown) {
			return fmt.Errorf("it shows %q", got[max(0, len(got)-3000):])
		}
		return nil
	})
	if _, err := io.WriteString(c.keys, keys); err != nil {
		c.l.t.Fatal(err)
	}
}

// lockedBuffer is a buffer that is written and read at the same time.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// Dial connects to a port of the lab as soon as something listens on it.
func (l *Lab) Dial(port int) net.Conn {
	l.t.Helper()
	var conn net.Conn
	l.Wait("port "+strconv.Itoa(port), func() (err error) {
		conn, err = l.dial(port)
		return err
	})
	conn.SetDeadline(time.Now().Add(patience))
	l.t.Cleanup(func() { conn.Close() })
	return conn
}

// dial connects from a thread that enters the lab's network. The thread is not used again if it cannot leave it.
func (l *Lab) dial(port int) (net.Conn, error) {
	runtime.LockOSThread()
	own, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return nil, err
	}
	defer own.Close()
	other, err := os.Open(l.Path("/proc/1/ns/net"))
	if err != nil {
		return nil, err
	}
	defer other.Close()
	if err := unix.Setns(int(other.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, err
	}
	conn, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if left := unix.Setns(int(own.Fd()), unix.CLONE_NEWNET); left == nil {
		runtime.UnlockOSThread()
	}
	return conn, err
}

// patience is how long a test waits for anything. Machines that test much at once are slow.
const patience = 60 * time.Second

// Wait calls done until it returns no error. It ends the test when its patience does.
func (l *Lab) Wait(what string, done func() error) {
	l.t.Helper()
	end := time.Now().Add(patience)
	for {
		err := done()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			l.t.Fatalf("waited %v for %s: %v\n%s", patience, what, err, l.logs())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// logs returns the ends of the logs of the lab.
func (l *Lab) logs() string {
	var all strings.Builder
	names, _ := filepath.Glob(l.Path("/var/log/maillab/*"))
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		if info, err := f.Stat(); err == nil && info.Size() > 4000 {
			f.Seek(-4000, io.SeekEnd)
		}
		text, _ := io.ReadAll(f)
		f.Close()
		fmt.Fprintf(&all, "-- %s\n%s\n", filepath.Base(name), text)
	}
	return all.String()
}
