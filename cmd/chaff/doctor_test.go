package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDoctorAsksSocketsAsTheirClientsDo asks a daemon by each protocol, and programs that are none.
func TestDoctorAsksSocketsAsTheirClientsDo(t *testing.T) {
	h := newHome(t, "")
	h.writeModel()
	dir, err := os.MkdirTemp("", "d") // short, as the names of sockets must be
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	agent, err := net.Listen("unix", filepath.Join(dir, "agent"))
	must(t, err)
	defer agent.Close()
	args := []string{"-m", h.path("model"), "--set", "serve.lmtp_backend=unix:" + filepath.Join(dir, "agent")}
	for _, protocol := range protocols() {
		args = append(args, "--"+protocol.flag, "unix:"+filepath.Join(dir, protocol.flag))
	}
	d := startDaemon(t, protocols(), args...)
	d.log.has(t, "serving")
	address := func(name string) string { return "unix:" + filepath.Join(dir, name) }
	for _, protocol := range protocols() {
		d.log.has(t, "serving "+protocol.flag)
		if err := askSocket(protocol.flag, address(protocol.flag)); err != nil {
			t.Errorf("%s: %v", protocol.flag, err)
		}
	}
	if err := askSocket("http", address("none")); err == nil || err.Error() != "nobody answers" {
		t.Errorf("a socket that is not there: got %v", err)
	}
	if err := askSocket("http", address("lmtp")); err == nil || !strings.Contains(err.Error(), "not as http does") {
		t.Errorf("a socket of another protocol: got %v", err)
	}
	d.stop()
	must(t, d.ended(t))
}
