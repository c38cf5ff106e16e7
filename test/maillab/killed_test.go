//go:build linux

package maillab_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chaff/test/maillab"
)

// mails returns how many messages a test sends that kills programs: TEST_MAILLAB_MAILS, or a few.
func mails(t *testing.T) int {
	t.Helper()
	text, set := os.LookupEnv("TEST_MAILLAB_MAILS")
	if !set {
		return 100
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("TEST_MAILLAB_MAILS=%q: must be a number of messages", text)
	}
	return n
}

func TestPostfixMilterIsKilled(t *testing.T) {
	t.Parallel()
	l, _ := startMilter(t)
	l.StartPostfix()
	stopServe(l)
	survivesDaemon(t, l, "--milter unix:"+milterSocket)
}

func TestPostfixLMTPIsKilled(t *testing.T) {
	t.Parallel()
	l := maillab.Start(t, maillab.Postfix, maillab.Dovecot)
	l.AddUser("anna")
	l.Section("serving.md", "Without systemd").Only("useradd").Follow("root", "useradd")
	train(l, "root", "-m "+stateFolder+"/model")
	page, dovecot := deliverByLMTP(l)
	page.Only("mailbox_transport") // TestPostfixLMTP follows the rest
	dovecot.Only("sievec")
	survivesDaemon(t, l, "--lmtp unix:/var/spool/postfix/chaff/lmtp.sock --set serve.lmtp_backend=unix:/run/dovecot/lmtp")
}

func TestPostfixContentFilterIsKilled(t *testing.T) {
	t.Parallel()
	l, page := startContentFilter(t)
	page.Only("chaff-postfix") // TestPostfixContentFilter follows the rest
	smallDisk(l, "/tmp")
	smallDisk(l, stateFolder)
	// The filter lives for some milliseconds. So each attempt looks for it until it is there.
	survives(t, l, "timeout 2 sh -c 'until kill -KILL $(pidof -x chaff-classify chaff-postfix) 2>/dev/null; do :; done'", "/tmp", stateFolder)
}

// survivesDaemon is survives for a daemon, which is started again whenever it ends.
func survivesDaemon(t *testing.T, l *maillab.Lab, flags string) {
	t.Helper()
	smallDisk(l, stateFolder)
	l.Run("root", "while :; do su -s /bin/sh chaff -c 'exec chaff serve -m "+stateFolder+"/model --set serve.keep_unsure=100 "+flags+"'; done >>/var/log/maillab/chaff 2>&1 &")
	survives(t, l, "kill -HUP $(pidof chaff); sleep 0.1; kill -KILL $(pidof chaff)", stateFolder)
}

// stateFolder has the model and the files of the daemon.
const stateFolder = "/var/lib/chaff"

// smallDisk puts a folder and what is in it on a disk of its own.
func smallDisk(l *maillab.Lab, folder string) {
	l.Run("root", "mkdir -p /small && mount -t tmpfs -o size=8m small /small && chown --reference="+folder+" /small && chmod --reference="+folder+
		" /small && cp -a "+folder+"/. /small && mount --move /small "+folder)
}

// survives sends mail, TEST_MAILLAB_MAILS messages, or more until one has met a killed program. Meanwhile it runs the command kill again and again, replaces the model, fills and empties the
// disks, and learns. Each message must arrive with a verdict, and what was learned must be known.
func survives(t *testing.T, l *maillab.Lab, kill string, disks ...string) {
	t.Helper()
	all := mails(t)
	var kills, learned, replaced, filled, refused atomic.Int64
	stop := make(chan struct{})
	var trouble sync.WaitGroup
	again := func(pause time.Duration, do func()) {
		trouble.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(pause):
					do()
				}
			}
		})
	}
	// The processes that learn are killed as well, so each step may fail.
	does := func(command string, count *atomic.Int64) bool {
		ok := l.Command("root", command).Run() == nil
		if ok {
			count.Add(1)
		}
		return ok
	}
	deferred := func() int {
		log, _ := os.ReadFile(l.Path("/var/log/maillab/postfix")) // which comes with the first message
		return strings.Count(string(log), "status=deferred")
	}
	var met atomic.Bool
	again(300*time.Millisecond, func() {
		does(kill, &kills)
		if !met.Load() {
			met.Store(refused.Load() > 0 || deferred() > 0)
		}
	})
	var known []string
	lessons := 0
	learn := func() {
		lessons++
		text := ham(1000000 + lessons)
		class := "ham"
		if lessons%2 == 0 {
			text, class = spam(1000000+lessons), "spam"
		}
		file := fmt.Sprintf("/lessons/%s/%d", class, lessons)
		l.Write(file, text, 0o644)
		if does("chaff learn -m "+stateFolder+"/model --"+class+" <"+file, &learned) {
			known = append(known, file)
		}
	}
	again(300*time.Millisecond, func() {
		learn()
		does("cd "+stateFolder+" && cp -p model new && mv new model", &replaced)
		for _, disk := range disks {
			if l.Command("root", "head -c 16m /dev/zero >"+disk+"/filler").Run() != nil { // the disk is full
				filled.Add(1)
			}
		}
		learn()
		time.Sleep(100 * time.Millisecond)
		for _, disk := range disks {
			l.Run("root", "rm "+disk+"/filler")
		}
	})

	var sent atomic.Int64
	var senders sync.WaitGroup
	for range 4 {
		senders.Go(func() {
			for sent.Load() < int64(all) || !met.Load() && sent.Load() < 20*int64(all) {
				n := int(sent.Add(1))
				for {
					code, err := talk(l, ham(n))
					if code == 250 {
						break
					}
					if err != nil || code >= 500 {
						t.Errorf("message %d: %d, %v", n, code, err)
						return
					}
					refused.Add(1)
					time.Sleep(20 * time.Millisecond)
				}
			}
		})
	}
	senders.Wait()
	all = int(sent.Load())
	arrived := func() int {
		entries, _ := os.ReadDir(l.Path(inbox + "/new")) // which comes with the first message
		return len(entries)
	}
	for before := -1; arrived() < all && arrived() > before; { // as long as some arrive
		before = arrived()
		for began := time.Now(); arrived() == before && time.Since(began) < time.Minute; {
			time.Sleep(50 * time.Millisecond)
		}
	}
	for kills.Load() < 3 || filled.Load() < 1 || replaced.Load() < 1 || learned.Load() < 1 { // of a slow machine
		time.Sleep(time.Millisecond)
	}
	close(stop)
	trouble.Wait()
	l.Wait("an empty queue", func() error {
		if queue := l.Run("root", "postqueue -p"); !strings.Contains(queue, "is empty") {
			return fmt.Errorf("%s", queue[max(0, len(queue)-2000):])
		}
		return nil
	})

	delivered, twice, unfiltered := map[string]int{}, 0, 0
	for _, m := range l.All(inbox) {
		delivered[m.Get("Subject")]++
		if m.Get("X-Chaff-Verdict") == "" {
			unfiltered++
		}
		wantVerdict(t, m, "ham")
	}
	lost := 0
	for n := 1; n <= all; n++ {
		switch copies := delivered[fmt.Sprintf("minutes of meeting %d", n)]; copies {
		case 0:
			lost++
		default:
			twice += copies - 1
		}
	}
	t.Logf("%d messages; killed %d times, the model replaced %d times, disks full %d times, %d messages learned; %d refused for the time being, %d attempts deferred; %d lost, %d unfiltered, %d twice",
		all, kills.Load(), replaced.Load(), filled.Load(), learned.Load(), refused.Load(), deferred(), lost, unfiltered, twice)
	if lost > 0 || unfiltered > 0 {
		t.Errorf("%d messages are lost, and %d have no verdict", lost, unfiltered)
	}
	if !met.Load() {
		t.Error("no message met a killed program")
	}
	for _, file := range known {
		class := strings.Split(file, "/")[2]
		if out := l.Run("root", "chaff learn -m "+stateFolder+"/model --"+class+" <"+file); !strings.Contains(out, "already") {
			t.Errorf("%s was learned, and is not known: %s", file, out)
		}
	}
}
