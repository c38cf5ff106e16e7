//go:build unix

package main

import (
	"bytes"
	"chaff/internal/screen"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
)

// trainOnMail trains the default model on growing mail, each time in a new process, and prints CPU time and memory.
func trainOnMail(ctx context.Context, folder string, largest int, memory string, workers int) error {
	letters, err := readLetters(folder)
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "chaff-growth-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	t := training{dir: temporary, args: []string{"--memory", memory, "--workers", fmt.Sprint(workers)}}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", t.path("chaff"), "./cmd/chaff").CombinedOutput(); err != nil {
		return fmt.Errorf("build chaff: %w\n%s", err, out)
	}
	few, err1 := t.run(ctx, letters[:len(letters)/8], 1, 0)
	all, err2 := t.run(ctx, letters, 1, 0)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	exponent := math.Log(float64(all.terms)/float64(few.terms)) / math.Log(8)
	screen.Printf(os.Stdout, "Terms grow with the mail to the power of %.2f (Heaps' law), measured between an eighth of it and all.\n\n", exponent)
	fmt.Println("| mail | messages | MB | terms | grown by the power of | CPU s | peak memory, MB | CPU a message, ms | memory a message, kB |\n|---|---|---|---|---|---|---|---|---|")
	for times, before := 0, few; times < largest; {
		times = max(1, min(2*times, largest))
		is, err := t.run(ctx, letters, times, exponent)
		if err != nil {
			return err
		}
		power := math.Log(float64(is.terms)/float64(before.terms)) / math.Log(float64(is.messages)/float64(before.messages))
		n := float64(is.messages)
		screen.Printf(os.Stdout, "| %d | %d | %.0f | %d | %.2f | %.1f | %.0f | %.3f | %.1f |\n",
			times, is.messages, float64(is.size)/1e6, is.terms, power, is.cpu, is.peak/1e6, 1000*is.cpu/n, is.peak/n/1000)
		before = is
	}
	return nil
}

// training runs chaff train in a folder.
type training struct {
	dir  string
	args []string
}

// taken is the cost of a training.
type taken struct {
	messages, terms int
	size            int64   // of the mail
	cpu             float64 // seconds
	peak            float64 // bytes
}

func (t training) path(name string) string { return filepath.Join(t.dir, name) }

// run trains on so many copies of the letters.
func (t training) run(ctx context.Context, letters []letter, times int, exponent float64) (taken, error) {
	is := taken{messages: times * len(letters)}
	var err error
	if is.size, err = write(t.path("ham"), t.path("spam"), letters, times, exponent); err != nil {
		return taken{}, err
	}
	args := append([]string{"train", "--ham", t.path("ham"), "--spam", t.path("spam"), "-m", t.path("model")}, t.args...)
	c := exec.CommandContext(ctx, t.path("chaff"), args...)
	var failure bytes.Buffer
	c.Stderr = &failure
	if err := c.Start(); err != nil {
		return taken{}, err
	}
	peak := watchMemory(c.Process.Pid)
	if err := c.Wait(); err != nil {
		return taken{}, fmt.Errorf("%w\n%s", err, failure.String())
	}
	is.peak = float64(peak())
	out, err := exec.CommandContext(ctx, t.path("chaff"), "inspect", "--json", "-m", t.path("model")).Output()
	if err != nil {
		return taken{}, err
	}
	var model struct {
		Provenance struct{ Corpus struct{ Terms int } }
	}
	if err := json.Unmarshal(out, &model); err != nil {
		return taken{}, err
	}
	is.terms = model.Provenance.Corpus.Terms
	is.cpu = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	return is, nil
}
