package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// startWithoutLocks starts a program in a process whose calls of flock fail, as on a file system without locks.
func startWithoutLocks(t *testing.T, c *exec.Cmd) error {
	t.Helper()
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_FLOCK},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(syscall.ENOLCK)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	rules := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // it ends with the goroutine
		err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		if err == nil {
			err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&rules)), 0, 0)
		}
		if err == nil {
			err = c.Start()
		}
		started <- err
	}()
	return <-started
}

// outputWithoutLocks runs chaff without locks, and returns all that it prints. Want says whether that is an error.
func outputWithoutLocks(t *testing.T, want bool, args ...string) string {
	t.Helper()
	var out growing
	c := exec.Command("chaff", args...)
	c.Stdout, c.Stderr = &out, &out
	must(t, startWithoutLocks(t, c))
	if err := c.Wait(); (err != nil) != want {
		t.Errorf("chaff %q: %v", args, err)
	}
	return out.String()
}

// trainSample trains a model with a log in a folder of its own.
func trainSample(t *testing.T, h home) (model string) {
	t.Helper()
	model = h.path("own/model")
	must(t, os.Mkdir(filepath.Dir(model), 0o700))
	writeStore(t, model)
	return model
}

const toLearn = "From: a@a.example\nSubject: tarpaulins\n\nHeavy tarpaulins keep firewood dry.\n"

// spamdRequest returns a request of spamc.
func spamdRequest(command, fields, raw string) string {
	return fmt.Sprintf("%s SPAMC/1.5\r\n%sContent-length: %d\r\n\r\n%s", command, fields, len(raw), raw)
}

// TestNothingIsLearnedWithoutLocks uses a file system whose files cannot be locked: mail is judged, nothing is learned, and each program says why.
func TestNothingIsLearnedWithoutLocks(t *testing.T) {
	t.Parallel()
	h := newHome(t, "")
	model := trainSample(t, h)
	h.write("lesson", toLearn)
	const why = "cannot be locked"
	if got := outputWithoutLocks(t, true, "learn", "-m", model, "--spam", h.path("lesson")); !strings.Contains(got, why) {
		t.Errorf("learn: %s", got)
	}
	must(t, os.Mkdir(h.path("fresh"), 0o700))
	if got := outputWithoutLocks(t, true, "train", "-m", h.path("fresh/model"), "--ham", h.path("ham"), "--spam", h.path("spam")); !strings.Contains(got, why) || strings.Contains(got, "saved") {
		t.Errorf("train: %s", got)
	}
	if left, err := os.ReadDir(h.path("fresh")); err != nil || len(left) > 0 {
		t.Errorf("train leaves %v, %v", left, err)
	}
	if got := strings.Join(strings.Fields(outputWithoutLocks(t, true, "doctor", "-m", model)), " "); !strings.Contains(got, "folder BAD") || !strings.Contains(got, why) {
		t.Errorf("doctor: %s", got)
	}

	var log growing
	users := h.path("users")
	must(t, os.Mkdir(users, 0o700))
	c := exec.Command("chaff", "serve", "-m", model, "--users", users, "--spamd", "unix:"+h.path("s"))
	c.Stderr = &log
	must(t, startWithoutLocks(t, c))
	t.Cleanup(func() { c.Process.Kill() })
	log.has(t, "serving spamd")
	if got := ask(t, h.path("s"), spamdRequest("CHECK", "", toLearn)); !strings.HasPrefix(got, "SPAMD/1.1 0 EX_OK") {
		t.Errorf("a check: %q: %s", got, &log)
	}
	for _, user := range []string{"", "User: anna\r\n"} {
		if got := ask(t, h.path("s"), spamdRequest("TELL", user+"Message-class: spam\r\nSet: local\r\n", toLearn)); !strings.HasPrefix(got, "SPAMD/1.0 75 ") {
			t.Errorf("a lesson: %q", got)
		}
	}
	log.has(t, "user=anna class=spam refused")
	if n := strings.Count(log.String(), why); n != 2 {
		t.Errorf("the log says so %d times: %s", n, &log)
	}
	if left, err := os.ReadDir(users); err != nil || len(left) > 0 {
		t.Errorf("users who could not teach have %v, %v", left, err)
	}
	must(t, c.Process.Signal(syscall.SIGTERM))
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, &log)
	}
}

// TestAReadOnlyFileSystem serves a model that nobody can change: mail is judged, and lessons are refused.
func TestAReadOnlyFileSystem(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount file systems: run the tests as root")
	}
	h := newHome(t, "")
	model := trainSample(t, h)
	var log growing
	c := exec.Command("sh", "-c", `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec chaff serve -m "$1/model" --spamd "unix:$2"`, "sh", filepath.Dir(model), h.path("s"))
	c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	c.Stderr = &log
	must(t, c.Start())
	t.Cleanup(func() { c.Process.Kill() })
	log.has(t, "serving spamd")
	if got := ask(t, h.path("s"), spamdRequest("CHECK", "", toLearn)); !strings.HasPrefix(got, "SPAMD/1.1 0 EX_OK") {
		t.Errorf("a check: %q: %s", got, &log)
	}
	if got := ask(t, h.path("s"), spamdRequest("TELL", "Message-class: spam\r\nSet: local\r\n", toLearn)); !strings.HasPrefix(got, "SPAMD/1.0 75 ") {
		t.Errorf("a lesson: %q", got)
	}
	must(t, c.Process.Signal(syscall.SIGTERM))
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, &log)
	}
	if got := log.String(); strings.Count(got, "open the log") != 1 {
		t.Error(got)
	}
}

// TestAModelThatIsMountedByItself has a model and a log that are files of another folder, as a container can have them: train says at once that it cannot
// replace them, and doctor what to do.
func TestAModelThatIsMountedByItself(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount file systems: run the tests as root")
	}
	h := newHome(t, "")
	model := trainSample(t, h)
	for _, name := range []string{"in/model", "in/model.log"} {
		h.write(name, "")
	}
	must(t, os.Chmod(h.path("in"), 0o700))
	must(t, exec.Command("chaff", "backup", "-m", model, "-o", h.path("backup")).Run())
	for _, command := range []string{"doctor", "retrain", "train --replace --ham ham --spam spam", "restore backup --replace"} {
		c := exec.Command("sh", "-c", `for f in model model.log; do mount --bind "$0/$f" "in/$f" || exit; done; chaff `+command+` -m in/model`, filepath.Dir(model))
		c.Dir = h.path("")
		c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
		out, err := c.CombinedOutput()
		if got := strings.Join(strings.Fields(string(out)), " "); err == nil || !strings.Contains(got, "is mounted by itself, so no new file can take its place: mount ") {
			t.Errorf("%s: %v, %s", command, err, got)
		}
	}
}

// TestSystemdActivatesEachProtocol lets systemd listen, which starts the daemon when the first client comes.
func TestSystemdActivatesEachProtocol(t *testing.T) {
	t.Parallel()
	activate, err := exec.LookPath("systemd-socket-activate")
	if err != nil {
		t.Skip("systemd-socket-activate is missing: apt-get install --no-install-recommends systemd")
	}
	h := newHome(t, "")
	h.writeModel()
	agent := h.path("agent")
	listenTest(t, agent)
	var names []string
	args := []string{}
	for _, protocol := range protocols() {
		names = append(names, protocol.flag)
		args = append(args, "--listen="+h.path(protocol.flag))
	}
	var log growing
	c := exec.Command(activate, append(append(args, "--fdname="+strings.Join(names, ":"), "chaff"), "serve", "-m", h.path("model"), "--set", "serve.lmtp_backend=unix:"+agent)...)
	c.Stderr = &log
	must(t, c.Start())
	t.Cleanup(func() { c.Process.Kill() })
	log.has(t, "Listening on "+h.path(names[len(names)-1]))
	for _, protocol := range protocols() {
		if err := protocol.ask("unix:" + h.path(protocol.flag)); err != nil {
			t.Errorf("%s: %v: %s", protocol.flag, err, &log)
		}
	}
	must(t, c.Process.Signal(syscall.SIGTERM))
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, &log)
	}
}
