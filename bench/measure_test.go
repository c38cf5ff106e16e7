package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"chaff/test/testmain"
)

// TestMain lets the test program be the keeper of commands, as the program itself is.
func TestMain(m *testing.M) {
	if report := os.Getenv(keeperReport); report != "" {
		os.Exit(keep(report, os.Args[1:]))
	}
	testmain.Run(m)
}

func testMeter(t *testing.T) meter {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	return meter{dir: t.TempDir(), home: t.TempDir(), limit: time.Minute}
}

func shell(script string) command { return command{args: []string{"sh", "-c", script}} }

func TestACommandIsRunInTheFolderOfTheMeterAndItsOutputReturned(t *testing.T) {
	m := testMeter(t)
	if err := os.WriteFile(filepath.Join(m.dir, "in"), []byte("some mail\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := shell("cat; cat in; echo $HOME")
	c.stdin = "in"
	_, out, err := m.run(t.Context(), c)
	if want := "some mail\nsome mail\n" + m.home + "\n"; err != nil || string(out) != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
}

func TestTheTimeOfProcessesThatACommandStartsCounts(t *testing.T) {
	m := testMeter(t)
	work := "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done"
	alone, _, err := m.run(t.Context(), shell(work))
	if err != nil {
		t.Fatal(err)
	}
	started, _, err := m.run(t.Context(), shell("sh -c '"+work+"'; true"))
	if err != nil {
		t.Fatal(err)
	}
	if alone.CPU < 2*time.Millisecond || started.CPU < alone.CPU/4 {
		t.Errorf("alone %v, as a process of another %v", alone.CPU, started.CPU)
	}
	if alone.Wall <= 0 || runtime.GOOS == "linux" && alone.Peak <= 0 {
		t.Errorf("no clock or no memory: %+v", alone)
	}
}

func TestFailuresOfCommandsSayWhy(t *testing.T) {
	m := testMeter(t)
	for _, c := range []struct {
		name, script, want string
	}{
		{"an exit code", "echo first >&2; echo no database >&2; exit 3", "sh: exits with 3: no database"},
		{"too slow", "exec sleep 20", "sh: stopped after 200ms"},
		{"killed", "kill -9 $$", "sh: signal: killed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if m.limit = time.Minute; c.name == "too slow" { // a busy machine takes its time to start a shell
				m.limit = 200 * time.Millisecond
			}
			if _, _, err := m.run(t.Context(), shell(c.script)); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	if _, _, err := m.run(t.Context(), command{args: []string{"no-such-program"}}); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("a program that does not exist: %v", err)
	}
}

func TestAnExitCodeThatIsAnAnswerIsNoFailure(t *testing.T) {
	c := shell("exit 2")
	c.exits = []int{1, 2}
	if _, _, err := testMeter(t).run(t.Context(), c); err != nil {
		t.Error(err)
	}
}

func TestACommandIsStoppedWithTheProgram(t *testing.T) {
	m := testMeter(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, _, err := m.run(ctx, shell("exec sleep 20")); err == nil || time.Since(start) > 10*time.Second {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
}

func TestCostsOfCommandsAddUp(t *testing.T) {
	got := cost{1, 2, 30}.add(cost{10, 20, 3})
	if want := (cost{11, 22, 30}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCores(t *testing.T) {
	for text, want := range map[string][]int{"0": {0}, "0-3,8": {0, 1, 2, 3, 8}, "": nil, "a-b": nil, "0-x": nil} {
		if got := readCores(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestMissingPackagesAreNamedOnce(t *testing.T) {
	there, absent := func() bool { return true }, func() bool { return false }
	got := missingPackages([]entrant{{debian: "a", present: there}, {debian: "b", present: absent}, {debian: "b", present: absent}})
	if !slices.Equal(got, []string{"b"}) {
		t.Errorf("got %v", got)
	}
}
