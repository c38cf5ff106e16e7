package spamd

import (
	"io"
	"net"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chaff/corpus/sample"
	"chaff/test/corpustest"

	"chaff/test/servetest"
)

// medianMail returns a message of about 3 kB: a real one if there is a corpus, else an invented one.
func medianMail(b *testing.B) []byte {
	source, ok := corpustest.SpamAssassin(b)
	if !ok {
		source = sample.Source()
	}
	var all [][]byte
	for item, err := range source {
		if err != nil {
			b.Fatal(err)
		}
		raw, err := item.Read(nil)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, raw)
	}
	distance := func(i int) int { return max(len(all[i])-3000, 3000-len(all[i])) }
	sort.Slice(all, func(i, j int) bool { return distance(i) < distance(j) })
	return all[0]
}

// BenchmarkRequests sends requests by eight clients over a Unix socket, each with a connection of its own, as spamc does.
func BenchmarkRequests(b *testing.B) {
	raw := medianMail(b)
	for _, asked := range []string{"CHECK 1.5", "PROCESS 1.5", "REPORT 1.2", "REPORT 1.5"} { // Exim asks for REPORT 1.2
		b.Run(asked, func(b *testing.B) {
			command, version, _ := strings.Cut(asked, " ")
			d := start(b, "unix", servetest.NewEngine(b, nil), nil)
			text := []byte(requestOf(command, version, "", string(raw)))
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			b.ResetTimer()
			var next atomic.Int64
			var clients sync.WaitGroup
			took := make([]time.Duration, b.N)
			for range 8 {
				clients.Go(func() {
					for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
						began := time.Now()
						if reply, err := exchange(d, text); err != nil || !strings.HasPrefix(reply, "SPAMD/1.1 0 EX_OK\r\n") {
							b.Errorf("got %q, %v", reply, err)
						}
						took[i] = time.Since(began)
					}
				})
			}
			clients.Wait()
			sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
			b.ReportMetric(float64(took[b.N*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

func exchange(d started, text []byte) (string, error) {
	c, err := net.Dial(d.Network(), d.String())
	if err != nil {
		return "", err
	}
	defer c.Close()
	if _, err := c.Write(text); err != nil {
		return "", err
	}
	c.(*net.UnixConn).CloseWrite()
	reply, err := io.ReadAll(c)
	return string(reply), err
}
