package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"chaff/test/testmain"
)

// server is a process that runs one command after another, as run does. It saves the start of a process for each of them, and the
// time that the system takes to hand out memory. It serves one script at a time, in the folder and the environment of the script.
type server struct {
	process *exec.Cmd
	in      io.Closer
	send    *json.Encoder
	receive *json.Decoder
}

// request is a command of a script, and reply is what it did.
type (
	request struct {
		Folder        string
		Environ, Args []string
		Stdin         []byte
		Merged        bool // stderr goes where stdout goes
	}
	reply struct {
		Code           int
		Stdout, Stderr []byte
	}
)

// runRequests is the program of a server.
func runRequests() {
	debug.SetGCPercent(testmain.GCPercent)
	requests, replies := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var r request
		err := requests.Decode(&r)
		if errors.Is(err, io.EOF) {
			return
		}
		if err := errors.Join(err, r.enter()); err != nil {
			panic(err)
		}
		if err := replies.Encode(r.run()); err != nil {
			panic(err)
		}
	}
}

// enter gives the process the folder and the environment of the script.
func (r request) enter() error {
	os.Clearenv()
	errs := []error{os.Chdir(r.Folder)}
	for _, entry := range r.Environ {
		name, value, _ := strings.Cut(entry, "=")
		errs = append(errs, os.Setenv(name, value))
	}
	return errors.Join(errs...)
}

func (r request) run() reply {
	var out, errs bytes.Buffer
	stderr := &errs
	if r.Merged {
		stderr = &out
	}
	code := run(context.Background(), r.Args, r.Environ, bytes.NewBuffer(r.Stdin), &out, stderr)
	return reply{Code: code, Stdout: out.Bytes(), Stderr: errs.Bytes()}
}

// servers are the servers that wait for a command.
type servers struct {
	sync.Mutex
	idle []*server
}

// run runs a command of a script in a server: chaff ARGUMENT... [< FILE] [2>&1].
func (s *servers) run(ts *testscript.TestScript, neg bool, args []string) {
	r := request{Folder: ts.MkAbs("."), Environ: environ(ts), Args: args}
	if last := len(r.Args) - 1; last >= 0 && r.Args[last] == "2>&1" {
		r.Merged, r.Args = true, r.Args[:last]
	}
	if at := len(r.Args) - 2; at >= 0 && r.Args[at] == "<" {
		r.Args, r.Stdin = r.Args[:at], []byte(ts.ReadFile(r.Args[at+1]))
	}
	worker, err := s.take()
	ts.Check(err)
	var did reply
	ts.Check(worker.send.Encode(r))
	ts.Check(worker.receive.Decode(&did))
	s.Lock()
	s.idle = append(s.idle, worker)
	s.Unlock()
	ts.Stdout().Write(did.Stdout)
	ts.Stderr().Write(did.Stderr)
	if failed := did.Code != 0; failed != neg {
		ts.Fatalf("unexpected exit code %d", did.Code)
	}
}

// take returns an idle server, or a new one.
func (s *servers) take() (*server, error) {
	s.Lock()
	defer s.Unlock()
	if last := len(s.idle) - 1; last >= 0 {
		worker := s.idle[last]
		s.idle = s.idle[:last]
		return worker, nil
	}
	process := exec.Command("chaff-server")
	process.Stderr = os.Stderr
	in, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &server{process, in, json.NewEncoder(in), json.NewDecoder(out)}, process.Start()
}

// stop ends all servers.
func (s *servers) stop() error {
	var errs []error
	for _, worker := range s.idle {
		errs = append(errs, worker.in.Close(), worker.process.Wait())
	}
	return errors.Join(errs...)
}

// environ returns the environment of a script, which testscript does not export.
func environ(ts *testscript.TestScript) []string {
	var all []string
	for entries := reflect.ValueOf(ts).Elem().FieldByName("envMap").MapRange(); entries.Next(); {
		all = append(all, entries.Key().String()+"="+entries.Value().String())
	}
	return all
}
