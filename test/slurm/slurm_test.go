//go:build linux

// Package slurm_test runs the scripts of the folder examples as they are: with Slurm, on two nodes of which one is killed, and with xargs.
package slurm_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"chaff/test/corpustest"
)

// site is a folder with chaff, mail, a key, and the model that chaff train makes.
type site struct {
	t        *testing.T
	dir      string
	examples string
	mail     []string // flags
	trained  []byte
}

// A process that is held stops soon after it began, until it is killed or goes on.
const held = `#!/bin/sh
echo "$*" >> %[1]s/starts
if [ "$1" = collect ] && [ -e %[1]s/hold ]; then
	%[1]s/chaff "$@" &
	sleep 0.03
	kill -STOP $!
	echo $! >> %[1]s/held
	wait
	exit
fi
exec %[1]s/chaff "$@"
`

func newSite(t *testing.T) *site {
	corpora, ok := corpustest.CorporaDir(t)
	if !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	s := &site{t: t, dir: t.TempDir()}
	s.examples, _ = filepath.Abs("../../examples")
	s.must(os.MkdirAll(s.at("bin"), 0o755), os.MkdirAll(s.at("parts"), 0o755))
	s.must(os.WriteFile(s.at("key"), []byte("00112233445566778899aabbccddeeff"), 0o600))
	s.must(os.WriteFile(s.at("bin", "chaff"), fmt.Appendf(nil, held, s.dir), 0o755))
	s.run("go", "build", "-o", s.at("chaff"), "chaff/cmd/chaff")
	for _, folder := range []string{"easy-ham-1", "easy-ham-2", "hard-ham-1", "spam-1", "spam-2"} {
		flag := "--ham"
		if strings.HasPrefix(folder, "spam") {
			flag = "--spam"
		}
		s.mail = append(s.mail, flag, filepath.Join(corpora, "sa", folder))
	}
	s.run(s.at("chaff"), append([]string{"train", "-q", "-m", s.at("trained")}, s.mail...)...)
	s.trained = s.content("trained")
	return s
}

func (s *site) at(names ...string) string { return filepath.Join(append([]string{s.dir}, names...)...) }

func (s *site) must(errs ...error) {
	s.t.Helper()
	for _, err := range errs {
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *site) content(name string) []byte {
	s.t.Helper()
	data, err := os.ReadFile(s.at(name))
	s.must(err)
	return data
}

// run runs a command and returns what it prints.
func (s *site) run(name string, args ...string) string {
	s.t.Helper()
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "PATH="+s.at("bin")+":"+os.Getenv("PATH"), "PARTS="+s.at("parts"), "CHAFF_KEY_FILE="+s.at("key"), "HOME="+s.dir,
		"GOCACHE="+goCache(), "SLURM_CONF="+s.at("lab", "slurm.conf"), "SLURM_BASE=27817")
	out, err := c.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func goCache() string {
	out, _ := exec.Command("go", "env", "GOCACHE").Output() // without it the program is built anew
	return strings.TrimSpace(string(out))
}

// until waits for a condition.
func (s *site) until(what string, is func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(4 * time.Minute); !is(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("%s: not within four minutes\n%s", what, s.run("squeue", "--array"))
		}
	}
}

func (s *site) lines(name string) []string {
	data, _ := os.ReadFile(s.at(name)) // nothing before there is a line
	return strings.Fields(string(data))
}

func TestShardsOfXargsAreTheTraining(t *testing.T) {
	s := newSite(t)
	s.run(filepath.Join(s.examples, "xargs.sh"), append([]string{"5", s.at("model")}, s.mail...)...)
	if !bytes.Equal(s.content("model"), s.trained) {
		t.Error("other bytes than those of chaff train")
	}
}

// TestAKilledNodeCostsNothing kills slurmd, slurmstepd and the tasks of a node while they read mail. TEST_SLURM is a program that starts and stops two nodes
// on loopback: PROGRAM up DIR, PROGRAM down DIR.
func TestAKilledNodeCostsNothing(t *testing.T) {
	lab := os.Getenv("TEST_SLURM")
	if lab == "" {
		t.Skip("needs Slurm: set TEST_SLURM to a program that starts two nodes")
	}
	s := newSite(t)
	t.Cleanup(func() { s.run(lab, "down", s.at("lab")) })
	s.run(lab, "up", s.at("lab"))
	s.must(os.WriteFile(s.at("hold"), nil, 0o600))
	script := func(name string) string { return filepath.Join(s.examples, name) }
	array := s.run("sbatch", append([]string{"--parsable", "--array=0-3", "--output=" + s.at("log.%a"), "--open-mode=append", script("slurm-collect.sh")}, s.mail...)...)
	merge := s.run("sbatch", "--parsable", "--dependency=afterok:"+array, "--output="+s.at("merge.log"), script("slurm-merge.sh"), "4", s.at("model"))
	var nodes map[string]string // of the tasks that run, by job
	s.until("tasks in the middle on both nodes", func() bool {
		nodes = map[string]string{}
		for line := range strings.Lines(s.run("squeue", "--noheader", "--array", "--states=running", "--format=%A %N", "--jobs="+array)) {
			if f := strings.Fields(line); len(f) == 2 {
				nodes[f[0]] = f[1]
			}
		}
		on := slices.Collect(maps.Values(nodes))
		return slices.Contains(on, "n1") && slices.Contains(on, "n2") && len(s.lines("held")) == len(nodes)
	})
	killed := 0
	for job, node := range nodes {
		if node == "n1" {
			s.killTree(s.stepd(job))
			killed++
		}
	}
	slurmd, err := strconv.Atoi(strings.TrimSpace(string(s.content("lab/n1.pid"))))
	s.must(err)
	s.must(syscall.Kill(slurmd, syscall.SIGKILL))
	s.must(os.Remove(s.at("hold")))
	for _, pid := range s.lines("held") {
		n, err := strconv.Atoi(pid)
		s.must(err)
		_ = syscall.Kill(n, syscall.SIGCONT) // some are dead
	}
	s.until("the merge", func() bool {
		jobs := s.run("squeue", "--noheader", "--format=%A %r", "--jobs="+merge+","+array)
		for line := range strings.Lines(jobs) {
			if job, waits := strings.CutSuffix(strings.TrimSpace(line), " BeginTime"); waits { // the two minutes that Slurm gives a lost node
				s.run("scontrol", "update", "JobId="+job, "StartTime=now")
			}
		}
		return jobs == ""
	})

	starts := map[string]int{}
	for line := range strings.Lines(string(s.content("starts"))) {
		if _, shard, is := strings.Cut(strings.TrimSpace(line), "--shard "); is {
			starts[shard]++
		}
	}
	again := 0
	for i := range 4 {
		switch starts[fmt.Sprintf("%d/4", i)] {
		case 1:
		case 2:
			again++
		default:
			t.Errorf("tasks began %v times", starts)
		}
	}
	if again != killed {
		t.Errorf("%d tasks began twice, %d were killed", again, killed)
	}
	if !bytes.Equal(s.content("model"), s.trained) {
		t.Error("other bytes than those of chaff train")
	}
}

// stepd returns the process that runs a job.
func (s *site) stepd(job string) int {
	s.t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	s.must(err)
	for _, path := range processes {
		if line, _ := os.ReadFile(path); strings.HasPrefix(string(line), "slurmstepd: ["+job+".batch]") {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			s.must(err)
			return pid
		}
	}
	s.t.Fatalf("no process runs job %s", job)
	return 0
}

// killTree kills a process and all that it has started.
func (s *site) killTree(pid int) {
	children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var all []string
	for _, path := range children {
		list, _ := os.ReadFile(path) // it may have ended
		all = append(all, strings.Fields(string(list))...)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for _, child := range all {
		if n, err := strconv.Atoi(child); err == nil {
			s.killTree(n)
		}
	}
}
