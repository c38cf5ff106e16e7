package main

import (
	"bytes"
	"chaff/internal/screen"
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
)

// command is a program with its arguments, as it is run and measured.
type command struct {
	args []string
	// stdin is the file that it reads, nothing if it is empty.
	stdin string
	// exits are the exit codes that are an answer and no failure, beside 0.
	exits []int
}

// cost is what a command took, with all processes that it started and waited for.
type cost struct {
	CPU  time.Duration `json:"cpu"`  // user and system
	Wall time.Duration `json:"wall"` // by the clock
	Peak int64         `json:"peak"` // the most memory that one of its processes had, in bytes; 0 if the system does not tell
}

// add is the cost of one command after the other.
func (c cost) add(d cost) cost {
	return cost{c.CPU + d.CPU, c.Wall + d.Wall, max(c.Peak, d.Peak)}
}

// meter runs commands, each in a folder, and measures them.
//
// A process that is started begins with the peak memory of the one that started it, so that what this program has read
// would count. Therefore each command is started by a small process of this same program (keeper), which tells its cost.
type meter struct {
	dir   string        // where commands run
	home  string        // an empty folder, so that no settings of the user count
	cores []int         // the processors that commands may use, all if there are none
	limit time.Duration // how long a command may take
}

// keeperReport names, in the environment of a keeper, the file for its report.
const keeperReport = "CHAFF_BENCH_REPORT"

// kept is the report of a keeper.
type kept struct {
	Cost    cost   `json:"cost"`
	Exit    int    `json:"exit"`
	Failure string `json:"failure"`
}

// run runs a command and returns its cost and what it printed.
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

// pinned is what keeps a command and all it starts on the processors of the meter.
func (m meter) pinned() []string {
	taskset, err := exec.LookPath("taskset")
	if err != nil || len(m.cores) == 0 {
		return nil
	}
	return []string{taskset, "-c", strings.Trim(strings.ReplaceAll(fmt.Sprint(m.cores), " ", ","), "[]")}
}

// environment makes programs that would use all processors use those of the meter, and keeps the user's settings away.
func (m meter) environment() []string {
	threads := fmt.Sprint(max(1, len(m.cores)))
	return []string{
		"GOMAXPROCS=" + threads, "OMP_NUM_THREADS=" + threads, "OPENBLAS_NUM_THREADS=" + threads,
		"HOME=" + m.home, "XDG_CONFIG_HOME=" + m.home, "XDG_DATA_HOME=" + m.home, "LC_ALL=C.UTF-8",
	}
}

// lastLine is the last line of what a program complained, which most often says why it stopped.
func lastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	return string(bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:]))
}

// keep runs a command, whose time limit is the first of args, and writes its cost to the file report. It returns the exit
// code of the keeper, which is not that of the command.
func keep(report string, args []string) int {
	limit, err := time.ParseDuration(args[0])
	if err != nil {
		screen.Printf(os.Stderr, "%v\n", err)
		return 1
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
		screen.Printf(os.Stderr, "%v\n", err)
		return 1
	}
	return 0
}
