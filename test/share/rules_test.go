package share

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"chaff/share"
	"chaff/store"
	"chaff/test/corpustest"
)

// authority makes a certificate for this machine, and returns the files of the certificate and its key.
func certificate(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "chaff"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	cert, err := x509.CreateCertificate(crand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}))
	write(t, keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	return certFile, keyFile
}

// nkeyOf makes an nkey, and returns its public part and the file of its seed.
func nkeyOf(t *testing.T) (public, seedFile string) {
	t.Helper()
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	if public, err = pair.PublicKey(); err != nil {
		t.Fatal(err)
	}
	seedFile = filepath.Join(t.TempDir(), "nkey")
	write(t, seedFile, seed)
	return public, seedFile
}

// configured returns the configuration of the servers in docs/scale.md with the keys of hosts in the place of those there.
func configured(t *testing.T, certFile, keyFile string, publics ...string) string {
	t.Helper()
	page := string(read(t, filepath.Join("..", "..", "docs", "scale.md")))
	_, text, found := strings.Cut(page, "# /etc/nats/chaff.conf\n")
	text, _, ended := strings.Cut(text, "```")
	if !found || !ended {
		t.Fatal("docs/scale.md has no configuration of the servers")
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "/etc/nats/cert.pem", certFile), "/etc/nats/key.pem", keyFile)
	for i, public := range publics {
		text = strings.ReplaceAll(text, fmt.Sprintf("NKEY_OF_%s", []string{"A", "B"}[i]), public)
	}
	return text
}

// The configuration of docs/scale.md: TLS, and a key for each host, which may say what its host was taught and nothing else.
func TestAHostTeachesInItsOwnNameOnly(t *testing.T) {
	certFile, keyFile := certificate(t)
	publicA, seedA := nkeyOf(t)
	publicB, seedB := nkeyOf(t)
	c := newServers(t, 1, configured(t, certFile, keyFile, publicA, publicB))
	base := trained(t, corpustest.Mailbox(1, 40, "ham", "spam"))
	urls := []string{strings.Replace(c.urls()[0], "nats://", "tls://", 1)}
	a, b := newHost(t, "a", base, urls), newHost(t, "b", base, urls)
	a.options.Fit, a.options.NkeyFile, a.options.CAFile = true, seedA, certFile
	b.options.NkeyFile, b.options.CAFile = seedB, certFile
	a.store.RetrainAfter, b.store.RetrainAfter = 1<<30, 1<<30
	mail := mailOf(t, 3, 10)
	a.run()
	b.run()
	a.learn(mail[:10]...)
	b.learn(mail[10:]...)
	keyA, err := nats.NkeyOptionFromSeed(seedA)
	if err != nil {
		t.Fatal(err)
	}
	js := c.jetStream(keyA, nats.RootCAs(certFile))
	settled(t, js, a, b)
	fitted(t, js, a, b)
	same(t, a, b)

	// B says what A was taught, or what all are to judge with.
	keyB, err := nats.NkeyOptionFromSeed(seedB)
	if err != nil {
		t.Fatal(err)
	}
	denied := make(chan error, 9)
	jsB := c.jetStream(keyB, nats.RootCAs(certFile), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { denied <- err }))
	for _, subject := range []string{"chaff.mail.learn.a", "$KV.chaff-mail.fit", "$O.chaff-mail.M.x", "$JS.API.STREAM.DELETE.chaff-mail", "$JS.API.STREAM.PURGE.chaff-mail",
		"$JS.API.STREAM.UPDATE.chaff-mail", "$JS.API.CONSUMER.DELETE.chaff-mail.a", "$JS.API.STREAM.MSG.DELETE.chaff-mail"} {
		if err := jsB.Conn().Publish(subject, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := jsB.Conn().Flush(); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-denied:
			if !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), subject) {
				t.Errorf("%s: %v", subject, err)
			}
		case <-time.After(5 * time.Second):
			t.Errorf("%s was taken", subject)
		}
	}

	// A record of A, said again by B, is of B.

	if err != nil {
		t.Fatal(err)
	}
	m, err := js.Stream(t.Context(), "chaff-mail")
	if err != nil {
		t.Fatal(err)
	}
	of, err := m.GetLastMsgForSubject(t.Context(), "chaff.mail.learn.a")
	if err != nil {
		t.Fatal(err)
	}
	decoder, _ := zstd.NewReader(nil)
	encoder, _ := zstd.NewWriter(nil)
	plain, err := decoder.DecodeAll(of.Data, nil)
	if err != nil {
		t.Fatal(err)
	}
	plain[16] = 255 // its number
	copy(plain[24+64:], "a\x00\x00\x00\x00\x00\x00\x00")
	wrongKey := bytes.Clone(plain)
	wrongKey[8]++
	version := bytes.Clone(plain)
	version[0] = 9
	for _, data := range [][]byte{encoder.EncodeAll(plain, nil), encoder.EncodeAll(wrongKey, nil), encoder.EncodeAll(version, nil), encoder.EncodeAll(plain[:100], nil), []byte("x"), nil} {
		if _, err := jsB.Publish(t.Context(), "chaff.mail.learn.b", data); err != nil {
			t.Fatal(err)
		}
	}

	settled(t, js, a)
	v, err := store.Look(a.path)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	entries := v.Entries()
	i := slices.IndexFunc(entries, func(e store.Entry) bool {
		return fmt.Sprintf("%x", e.Fingerprint) == fmt.Sprintf("%x", fingerprintIn(plain))
	})
	if i < 0 || entries[i].Origin != "b" {
		t.Errorf("the origin of what b has said in the name of a: %+v", entries[max(i, 0)])
	}
	until(t, 10*time.Second, "status says what was refused", func() bool {
		s, _, err := store.ReadSharing(a.path)
		return err == nil && s.Refused["another key"] == 1 && s.Refused["another version"] == 1 && s.Refused["no record"] == 2 && s.Refused["no document"] == 1
	})
}

func fingerprintIn(record []byte) (id uint64) {
	for i := range 8 {
		id |= uint64(record[24+i]) << (8 * i)
	}
	return id
}

func TestOnlyTLSLeavesTheMachine(t *testing.T) {
	o := share.DefaultOptions()
	o.Host = "a"
	for server, want := range map[string]string{
		"nats://192.0.2.1:4222": "only tls:// may leave this machine", "nats://mail.example.org": "only tls:// may leave this machine", "mail.example.org": "must be an address",
		"ws://localhost": "must be an address", "tls://mail.example.org": "", "nats://localhost:4222": "", "nats://[::1]:4222": "", "nats://127.1.2.3": "",
	} {
		o.Nats = []string{server}
		if err := o.Validate(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", server, err, want)
		}
	}
	o.Nats = []string{"nats://mail.example.org"}
	if err := share.Run(t.Context(), share.Model{Path: filepath.Join(t.TempDir(), "model")}, o, func(string) {}); err == nil {
		t.Error("share ran without TLS")
	}
}

// A host that does not keep to share.rate holds up nobody, and nothing of it is lost.
func TestWhatAHostPublishesBeyondTheRateWaits(t *testing.T) {
	const rate, beyond = 60, 25
	c := newServers(t, 1, "")
	js := c.jetStream()
	hosts := newGroup(t, trained(t, corpustest.Mailbox(1, 60, "ham", "spam")), c.urls())
	a, b, flooding := hosts[0], hosts[1], hosts[2]
	a.options.Rate, b.options.Rate, a.store.RetrainAfter = rate, rate, 20
	mail := mailOf(t, 11, 100)
	for _, h := range hosts {
		h.run()
	}
	flooding.learn(mail[:rate+beyond]...)
	settled(t, js, flooding)
	b.learn(mail[100:120]...)
	disputed := mail[rate+5] // waits, and so what b says of it is later
	disputed.Label = "spam"
	b.learn(disputed)
	settled(t, js, hosts...)
	of := func(h *host, origin string) (n int) {
		v, err := store.Look(h.path)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		for _, e := range v.Entries() {
			n += map[bool]int{true: 1}[e.Origin == origin]
		}
		return n
	}
	for _, h := range []*host{a, b} {
		if n, m := of(h, "c"), of(h, "b"); n < rate || n > rate+2 || h == a && m != 21 {
			t.Errorf("%s has %d messages of c and %d of b, want %d and 21", h.name, n, m, rate)
		}
	}
	until(t, 30*time.Second, "c has a fit without what waits", func() bool {
		at, err := store.StandOf(flooding.path)
		return err == nil && at.Fit >= rate+beyond
	})
	for _, h := range hosts {
		h.kill()
		h.options.Rate, h.store.RetrainAfter = 0, 1<<30
		h.run()
	}
	learned := func() {
		t.Helper()
		until(t, 30*time.Second, "what waited was learned", func() bool {
			return of(a, "c") == rate+beyond-1 && of(b, "c") == rate+beyond-1 && of(flooding, "c") == rate+beyond-1
		})
	}
	learned()
	settled(t, js, hosts...)
	same(t, hosts...)
	fitted(t, js, a, b, flooding)
	learned() // a host that took over a fit without what waited learns that from the stream again
	same(t, hosts...)
}

// What one host has taught in bad faith is taken out by its name, and a fit has no trace of it.
func TestAPoisonedHostLeavesNoTrace(t *testing.T) {
	c := newServers(t, 1, "")
	js := c.jetStream()
	all := realMail(t, 1600)
	good, bad := all[:600], all[600:]
	slices.SortFunc(all, func(a, b store.Message) int { return bytes.Compare(a.Raw, b.Raw) })
	base := trained(t, corpustest.Mailbox(1, 60, "ham", "spam"))
	hosts := newGroup(t, base, c.urls())
	a, b, poisoned := hosts[0], hosts[1], hosts[2]
	for _, h := range hosts {
		h.run()
	}
	a.learn(good[:300]...)
	b.learn(good[300:]...)
	settled(t, js, hosts...)
	fitted(t, js, a, b, poisoned)
	want := read(t, a.path)
	for i := range bad {
		bad[i].Label = map[string]string{"ham": "spam", "spam": "ham"}[bad[i].Label]
	}
	poisoned.learn(bad...)
	settled(t, js, hosts...)
	fitted(t, js, a, b, poisoned)
	if bytes.Equal(want, read(t, a.path)) {
		t.Fatal("1,000 wrong labels changed nothing")
	}
	b.with(func(s *store.Store) error {
		n, err := s.ForgetOrigin("c", time.Time{})
		if err == nil && n != len(bad) {
			err = fmt.Errorf("%d messages forgotten, want %d", n, len(bad))
		}
		return err
	})
	settled(t, js, hosts...)
	same(t, hosts...)
	fitted(t, js, a, b, poisoned)
	if !bytes.Equal(want, read(t, a.path)) {
		t.Error("the model has other bytes than before the wrong labels")
	}
}
