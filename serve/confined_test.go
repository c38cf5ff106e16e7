package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"chaff/serve/confine"
	"chaff/store"
	"chaff/test/testmain"
)

// confinedIn names the variable with the folder of a process that confines itself.
const confinedIn = "CHAFF_TEST_CONFINED"

// replaceIt is what the confined process prints when another program is to replace its model.
const replaceIt = "replace the model"

// TestAConfinedEngineDoesAllItDoes runs itself in a process of its own, which stays confined.
func TestAConfinedEngineDoesAllItDoes(t *testing.T) {
	if folder := os.Getenv(confinedIn); folder != "" {
		testConfined(t, folder)
		return
	}
	t.Parallel() // it waits
	folder := testmain.ShortDir(t)
	move := func(from, to string) {
		t.Helper()
		for _, suffix := range []string{".log", ""} {
			if err := os.Rename(from+suffix, to+suffix); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"lib", "run", "outside"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	move(newModel(t, 5), filepath.Join(folder, "lib", "model"))
	move(newModel(t, 9), filepath.Join(folder, "outside", "model"))
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAConfinedEngineDoesAllItDoes$", "-test.v")
	child.Env = append(os.Environ(), confinedIn+"="+folder)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for s := bufio.NewScanner(out); s.Scan(); {
		if s.Text() == replaceIt {
			move(filepath.Join(folder, "outside", "model"), filepath.Join(folder, "lib", "model"))
		}
		said.WriteString(s.Text() + "\n")
	}
	err = child.Wait()
	switch all := said.String(); {
	case err != nil:
		t.Errorf("%v\n%s", err, all)
	case strings.Contains(all, "--- SKIP"):
		t.Skip("this system has no Landlock, which Linux has from version 5.13 on")
	case !strings.Contains(all, "--- PASS"):
		t.Errorf("nothing was tested:\n%s", all)
	}
}

// testConfined runs an engine in a process that it confines to a folder in the given one.
func testConfined(t *testing.T, folder string) {
	outside := filepath.Join(folder, "outside")
	secret := filepath.Join(outside, "secret")
	token := filepath.Join(outside, "token")
	if err := errors.Join(os.WriteFile(secret, []byte("secret"), 0o600), os.WriteFile(token, []byte("token"), 0o600), os.Mkdir(filepath.Join(folder, "lib", "users"), 0o700)); err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	o.Model, o.Users, o.KeepUnsure = filepath.Join(folder, "lib", "model"), filepath.Join(folder, "lib", "users"), 10
	o.Store.RetrainAfter = 1
	log := &testLog{}
	e, err := open(o, log)
	if err != nil {
		t.Fatal(err)
	}
	e.learner.idleFor = 100 * time.Millisecond
	e.start(t.Context())
	socket := filepath.Join(folder, "run", "socket")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	open, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	backend, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	version, err := confine.Process(confine.Rights{
		Folders: o.Folders(), Sockets: []string{filepath.Dir(socket)}, Files: []string{filepath.Join(folder, "none"), token},
		Ports: []uint16{uint16(backend.Addr().(*net.TCPAddr).Port)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if version < confine.FileVersion {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
		t.Skip("no Landlock")
	}

	dial := func(address string) error {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err
	}
	_, readErr := os.ReadFile(secret)
	_, listErr := os.ReadDir(outside)
	_, createErr := os.Create(filepath.Join(folder, "run", "file"))
	denied := map[string]error{
		"read a file":      readErr,
		"list a folder":    listErr,
		"make a file":      createErr,
		"truncate a file":  os.Truncate(secret, 0),
		"take a file away": os.Rename(secret, filepath.Join(folder, "lib", "secret")),
		"remove a file":    os.Remove(secret),
		"make a link":      os.Symlink("/", filepath.Join(folder, "lib", "link")),
		"start a program":  exec.Command(os.Args[0], "-test.run=^$").Run(),
	}
	if version >= confine.NetworkVersion {
		var plain net.ListenConfig
		plain.SetMultipathTCP(false)
		_, listenErr := plain.Listen(t.Context(), "tcp", "127.0.0.1:1")
		denied["listen at a port"], denied["connect to a port"] = listenErr, dial(open.Addr().String())
	}
	for what, err := range denied {
		if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EXDEV) {
			t.Errorf("%s: %v, want an error about permissions", what, err)
		}
	}
	if err := dial(backend.Addr().String()); err != nil {
		t.Errorf("connect to the backend: %v", err)
	}
	if _, err := os.ReadFile(token); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(token, nil, 0o600); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("write the token: %v", err)
	}

	t.Setenv("TMPDIR", outside) // fitting needs no such files
	for _, user := range []string{"", "anna"} {
		learn(t, e, user, mail("spam", 20), "spam")
		learn(t, e, user, mail("ham", 20), "ham")
		if v := judge(t, e, user, mail("spam", 20)); v.Class != "spam" {
			t.Errorf("the verdict for %q on a message that was learned as spam: %+v", user, v)
		}
	}
	waitFor(t, func() bool { return strings.Contains(log.String(), "fitted "+o.Model) })
	s, err := store.Open(t.Context(), o.Model, o.Store)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Retrain(t.Context(), nil, store.RetrainOptions{})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Errorf("fit the model: %v", err)
	}
	if err := e.Kept.keep(unsureRecord(1, time.Now())); err != nil {
		t.Error(err)
	}
	unknown := func() int { return judge(t, e, "", mail("ham", 8)).Unknown } // the other model knows this message
	if unknown() == 0 {
		t.Error("the model knows all words of both")
	}
	fmt.Println(replaceIt)
	waitFor(t, func() bool { return unknown() == 0 })
	if err := e.Reload(); err != nil {
		t.Error(err)
	}
	if err := errors.Join(l.Close(), e.Close(context.Background())); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(socket); err == nil {
		t.Error("the socket is still there")
	}
	if strings.Contains(log.String(), "permission") {
		t.Error(log)
	}
}

// waitFor waits until something is so.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for range 2000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("waited in vain")
}
