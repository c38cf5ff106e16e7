package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chaff/internal/screen"
)

// command is a program with its arguments.
type command struct {
	args []string
	// stdin is the file on its standard input; "" for none.
	stdin string
	// exits are the exit codes, beside 0, that are not failures.
	exits []int
}

// cost is what a command used, including all processes that it started and waited for.
type cost struct {
	CPU  time.Duration `json:"cpu"`  // user and system
	Wall time.Duration `json:"wall"` // elapsed
	Peak int64         `json:"peak"` // peak memory of the largest process in bytes; 0 if unknown
}

// add returns the cost of running one command after the other.
func (c cost) add(d cost) cost {
	return cost{c.CPU + d.CPU, c.Wall + d.Wall, max(c.Peak, d.Peak)}
}

// meter runs commands in a folder and measures them.
//
// A new process inherits the peak memory of its parent, so the memory of this process would count. A small child process of
// the same program (keeper) therefore starts each command and reports its cost.
type meter struct {
	dir   string        // where commands run
	home  string        // an empty home directory, without settings of the user
	cores []int         // the processors for commands; none: all
	limit time.Duration // for a command
}

// keeperReport is the environment variable of a keeper that names the file for its report.
const keeperReport = "CHAFF_BENCH_REPORT"

// kept is the report of a keeper.
type kept struct {
	Cost    cost   `json:"cost"`
	Exit    int    `json:"exit"`
	Failure string `json:"failure"`
}

// run runs a command and returns its cost and output.
func (m meter) run(ctx context.Context, c command) (cost, []byte, error) {
	spent, out, err := m.try(ctx, c)
	if err != nil {
		return cost{}, nil, fmt.Errorf("%s: %w", filepath.Base(c.args[0]), err)
	}
	return spent, out, nil
}

func (m meter) try(ctx context.Context, c command) (cost, []byte, error) {
	self, err := os.Executable()
	if err != nil {
		return cost{}, nil, err
	}
	scratch, err := os.MkdirTemp("", "bench-run")
	if err != nil {
		return cost{}, nil, err
	}
	defer os.RemoveAll(scratch)
	report := filepath.Join(scratch, "report")
	stdout, err := os.Create(filepath.Join(scratch, "stdout"))
	if err != nil {
		return cost{}, nil, err
	}
	defer stdout.Close()

	args := slices.Concat(m.pinned(), []string{self, m.limit.String()}, c.args)
	keeper := exec.CommandContext(ctx, args[0], args[1:]...)
	keeper.Cancel = func() error { return keeper.Process.Signal(os.Interrupt) }
	keeper.WaitDelay = 5 * time.Second
	keeper.Dir = m.dir
	keeper.Env = slices.Concat(os.Environ(), m.environment(), []string{keeperReport + "=" + report})
	var stderr bytes.Buffer
	keeper.Stdout, keeper.Stderr = stdout, &stderr
	if c.stdin != "" {
		in, err := os.Open(filepath.Join(m.dir, c.stdin))
		if err != nil {
			return cost{}, nil, err
		}
		defer in.Close()
		keeper.Stdin = in
	}
	if err := keeper.Run(); err != nil {
		return cost{}, nil, errors.Join(ctx.Err(), fmt.Errorf("%w: %s", err, lastLine(stderr.Bytes())))
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return cost{}, nil, err
	}
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return cost{}, nil, err
	}
	if k.Failure != "" {
		return cost{}, nil, errors.New(k.Failure)
	}
	if k.Exit != 0 && !slices.Contains(c.exits, k.Exit) {
		return cost{}, nil, fmt.Errorf("exits with %d: %s", k.Exit, lastLine(stderr.Bytes()))
	}
	out, err := os.ReadFile(stdout.Name())
	return k.Cost, out, err
}

// pinned returns the command prefix that restricts a command and its children to the processors of the meter.
func (m meter) pinned() []string {
	taskset, err := exec.LookPath("taskset")
	if err != nil || len(m.cores) == 0 {
		return nil
	}
	return []string{taskset, "-c", strings.Trim(strings.ReplaceAll(fmt.Sprint(m.cores), " ", ","), "[]")}
}

// environment limits programs to the number of processors of the meter, and hides the user's settings from them.
func (m meter) environment() []string {
	threads := fmt.Sprint(max(1, len(m.cores)))
	return []string{
		"GOMAXPROCS=" + threads, "OMP_NUM_THREADS=" + threads, "OPENBLAS_NUM_THREADS=" + threads,
		"HOME=" + m.home, "XDG_CONFIG_HOME=" + m.home, "XDG_DATA_HOME=" + m.home, "LC_ALL=C.UTF-8",
	}
}

// lastLine returns the last line of the output of a program, which usually names the reason of a failure.
func lastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	return string(bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:]))
}

// keep runs a command, whose time limit is the first of args, and writes its cost to the file report. It returns the exit
// code of the keeper itself.
func keep(report string, args []string) int {
	fail := func(err error) int {
		screen.Printf(os.Stderr, "%v\n", err)
		return 1
	}
	limit, err := time.ParseDuration(args[0])
	if err != nil {
		return fail(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := exec.CommandContext(ctx, args[1], args[2:]...)
	c.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, keeperReport+"=") })
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	start := time.Now()
	err = c.Run()
	k := kept{Cost: cost{Wall: time.Since(start)}}
	if state := c.ProcessState; state != nil {
		k.Cost.CPU, k.Cost.Peak, k.Exit = state.UserTime()+state.SystemTime(), peak(state), state.ExitCode()
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		k.Failure = fmt.Sprintf("stopped after %v", limit)
	case err != nil && k.Exit <= 0: // killed, or never started
		k.Failure = err.Error()
	}
	text, err := json.Marshal(k)
	if err == nil {
		err = os.WriteFile(report, text, 0o600)
	}
	if err != nil {
		return fail(err)
	}
	return 0
}
