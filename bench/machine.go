package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// allowedCores returns the processors that this process may use, none if unknown.
func allowedCores() []int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil
	}
	return readCores(valueOf(string(status), "Cpus_allowed_list"))
}

// readCores parses a list such as "0-3,8". It returns nil for any other text.
func readCores(text string) []int {
	var cores []int
	for _, part := range strings.Split(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(from)
		if err != nil {
			return nil
		}
		last := first
		if isRange {
			if last, err = strconv.Atoi(to); err != nil {
				return nil
			}
		}
		for c := first; c <= last; c++ {
			cores = append(cores, c)
		}
	}
	return cores
}

// valueOf returns the value of the first line "key: value" of a text.
func valueOf(text, key string) string {
	for line := range strings.Lines(text) {
		name, value, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// processor returns the name of the processor.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if name := valueOf(string(info), "model name"); err == nil && name != "" {
		return name
	}
	return runtime.GOARCH
}

// systemName returns the name of the operating system.
func systemName() string {
	release, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return runtime.GOOS
	}
	for line := range strings.Lines(string(release)) {
		if name, found := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); found {
			return strings.Trim(name, `"`)
		}
	}
	return runtime.GOOS
}

// packageVersion returns the version of an installed Debian package, or "-".
func packageVersion(ctx context.Context, name string) string {
	out, err := exec.CommandContext(ctx, "dpkg-query", "-W", "-f", "${Version}", name).Output()
	if err != nil || len(out) == 0 {
		return "-"
	}
	return string(out)
}

// install installs the missing packages of the entrants. It logs errors; the row of a missing program names its package.
func (r runner) install(ctx context.Context, entrants []entrant) {
	missing := missingPackages(entrants)
	if len(missing) == 0 {
		return
	}
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		r.logf("not installed and left out: apt-get install --no-install-recommends %s", strings.Join(missing, " "))
		return
	}
	r.logf("install %s", strings.Join(missing, " "))
	for _, args := range [][]string{{"update", "-qq"}, slices.Concat([]string{"install", "-y", "-qq", "--no-install-recommends"}, missing)} {
		c := exec.CommandContext(ctx, "apt-get", args...)
		c.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := c.CombinedOutput(); err != nil {
			r.logf("apt-get %s: %v: %s", args[0], err, lastLine(out))
		}
	}
}

func missingPackages(entrants []entrant) []string {
	var missing []string
	for _, e := range entrants {
		if !e.present() && !slices.Contains(missing, e.debian) {
			missing = append(missing, e.debian)
		}
	}
	return missing
}

// commandLine returns the command line of this process, with CORPORA for the folders of the corpora.
func (o options) commandLine() string {
	line := "go run ./bench"
	for _, f := range o.flags {
		line += " " + f
	}
	for _, c := range o.corpora {
		line += " CORPORA/" + filepath.Base(c)
	}
	return line
}
