package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"chaff/internal/delivery"
)

// mainWithPeak is a program of this module that leaves its largest resident set, in bytes, in the file that PEAK names. What
// the system says of a child after its end can be the size of its parent.
func mainWithPeak(program func() int) func() {
	return func() {
		code := program()
		status, err := os.ReadFile("/proc/self/status")
		if err == nil {
			_, peak, _ := bytes.Cut(status, []byte("VmHWM:"))
			peak, _, _ = bytes.Cut(bytes.TrimSpace(peak), []byte(" kB"))
			err = os.WriteFile(os.Getenv("PEAK"), peak, 0o600)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(125)
		}
		os.Exit(code)
	}
}

func chaffWithPeak() int {
	return run(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
}

func leanWithPeak() int {
	return delivery.Main(os.Args[1:], os.Environ(), delivery.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
}

// budgetOf is what a message may take of memory in any command, with the model.
const budget = 200_000_000

func TestScratchBudget(t *testing.T) {
	home := trained(t)
	if m := os.Getenv("MEM_MODEL"); m != "" {
		data, _ := os.ReadFile(m)
		os.WriteFile(filepath.Join(home, ".local", "share", "chaff", "model"), data, 0o600)
	}
	size, _ := strconv.Atoi(os.Getenv("MEM_SIZE"))
	mail := filepath.Join("..", "..", "corpus", "sample", "mail")
	file := filepath.Join(home, "message")
	only := os.Getenv("MEM_ONLY")
	for name, make := range hostileMail() {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, make(size), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				name string
				args []string
			}{
				{"lean", []string{"chaff-classify-peak"}},
				{"pass", []string{"chaff-peak", "classify", "--pass"}},
				{"path", []string{"chaff-peak", "classify", file}},
				{"explain", []string{"chaff-peak", "explain", "--terms", "0"}},
				{"json", []string{"chaff-peak", "explain", "--json"}},
				{"html", []string{"chaff-peak", "explain", "--html", filepath.Join(home, "page.html")}},
				{"tokens", []string{"chaff-peak", "tokens"}},
				{"tokensjson", []string{"chaff-peak", "tokens", "--json"}},
				{"train", []string{"chaff-peak", "train", "-m", filepath.Join(home, "other"), "--ham", file, "--ham", filepath.Join(mail, "ham"), "--spam", filepath.Join(mail, "spam")}},
				{"evaluate", []string{"chaff-peak", "evaluate", "--ham", file, "--ham", filepath.Join(mail, "ham"), "--spam", filepath.Join(mail, "spam")}},
				{"replay", []string{"chaff-peak", "evaluate", "--online", "--ham", file, "--ham", filepath.Join(mail, "ham"), "--spam", filepath.Join(mail, "spam")}},
			} {
				if only != "" && only != c.name {
					continue
				}
				in, err := os.Open(file)
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(c.args[0], c.args[1:]...)
				var errs bytes.Buffer
				cmd.Stdin, cmd.Stdout, cmd.Stderr = in, io.Discard, &errs
				cmd.Env = append(os.Environ(), "HOME="+home, "PEAK="+filepath.Join(home, "peak"))
				os.Remove(filepath.Join(home, "peak"))
				err = cmd.Run()
				in.Close()
				p, _ := os.ReadFile(filepath.Join(home, "peak"))
				kb, _ := strconv.Atoi(string(p))
				flag := ""
				if kb*1024 > budget {
					flag = "OVER"
				}
				fmt.Printf("%-45s %-10s %6d MB %6.2fs %s %v\n", name, c.name, kb*1024/1e6, cmd.ProcessState.UserTime().Seconds()+cmd.ProcessState.SystemTime().Seconds(), flag, err)
				if err != nil {
					fmt.Printf("%.500s\n", errs.String())
				}
			}
		})
	}
}
