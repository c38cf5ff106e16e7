package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/serve"
)

// guarded wraps all handlers: it refuses requests of other origins, limits what browsers do with answers, and survives faults.
func (s *server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers send forms with the origin null
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		defer func() {
			if fault := recover(); fault != nil && fault != http.ErrAbortHandler {
				s.engine.Counters.Faults.Add(1)
				s.log.Warn("internal error: %v: please report it: %s", fault, debug.Stack())
				writeFailure(w, failure{status: http.StatusInternalServerError, Text: "internal error"})
			}
		}()
		_, malformed := url.ParseQuery(r.URL.RawQuery)
		switch {
		case malformed != nil: // package url passes over what is wrong: a user of that name would be nobody, and teach the model of all
			writeFailure(w, failure{status: http.StatusBadRequest, Text: "the query of the address: " + malformed.Error()})
		case !s.isOurHost(r.Host):
			writeFailure(w, failure{
				status: http.StatusMisdirectedRequest, Text: "this server is not known as " + screen.Clip(r.Host, 100) + ": an administrator can add the name to serve.http_hosts",
			})
		case isForeign(r):
			writeFailure(w, failure{status: http.StatusForbidden, Text: "requests of web pages of other origins are refused"})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isOurHost reports whether a client may know the server by the name in a field Host. A page of another origin can let its own name lead
// to this address, but no other name and no address. Programs may send none; browsers always do.
func (s *server) isOurHost(host string) bool {
	u, err := url.Parse("//" + host)
	if err != nil || u.Host != host {
		return false
	}
	name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if _, err := netip.ParseAddr(name); err == nil || name == "" || name == "localhost" {
		return true
	}
	return slices.ContainsFunc(s.options.HTTPHosts, func(ours string) bool { return strings.EqualFold(ours, name) })
}

// isForeign reports whether a browser sends a request for a page of another origin. A link to a page of ours may be followed.
func isForeign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || !strings.EqualFold(u.Host, r.Host) {
			return true
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
	return !isRead || r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"
}

// withToken requires the token of a program.
func (s *server) withToken(a answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") {
			token = r.Header.Get("Password")
		}
		if !isSame(strings.TrimSpace(token), s.token) {
			if token != "" {
				s.engine.WrongToken("http", clientOf(r))
			}
			w.Header().Set("WWW-Authenticate", `Bearer realm="chaff"`)
			writeFailure(w, failure{status: http.StatusUnauthorized, Text: "this needs the token of the server"})
			return
		}
		answered(a)(w, r)
	}
}

// clientOf returns the address of a client without its port. Behind a proxy it is that of the proxy: what a client says of itself is not used.
func clientOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return "unix"
	}
	return host
}

// sessionTime is how long a person stays signed in to the console.
const sessionTime = 12 * time.Hour

// beginSession returns the value of the cookie of a new session, whose forms have a token of their own. The end of the daemon ends it, too.
func (s *server) beginSession() string {
	value := rand.Text()
	s.sessions.Store(value, rand.Text())
	time.AfterFunc(sessionTime, func() { s.sessions.Delete(value) })
	return value
}

// cookie returns a cookie with a session, or one that ends it if value is "".
func (s *server) cookie(r *http.Request, value string) *http.Cookie {
	c := &http.Cookie{Name: s.cookieName, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(sessionTime.Seconds()),
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

// session returns the session of a request and the token of its forms, or "" for both.
func (s *server) session(r *http.Request) (session, form string) {
	if c, err := r.Cookie(s.cookieName); err == nil {
		if token, is := s.sessions.Load(c.Value); is {
			return c.Value, token.(string)
		}
	}
	return "", ""
}

var errForm = errors.New("the form is too old: open the page again")

// TokenFile returns the path of the file with the token of the daemon of a model.
func TokenFile(model string) string { return model + ".token" }

// MinToken is the size in bytes of the shortest token that is accepted.
const MinToken = 16

// Token returns the token beside a model. It makes the file if there is none. The file belongs to us, or to the owner of the model.
func Token(model string, log serve.Logger) (token string, err error) {
	path := TokenFile(model)
	file, err := replace.Open(path, os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		token = rand.Text()
		_, err = fmt.Fprintf(file, "%s\n", token)
		if err = errors.Join(err, file.Close()); err != nil {
			replace.Remove(path)
			return "", fmt.Errorf("write the token: %w", err)
		}
		log.Note("made a token for the HTTP server in %s", path)
		return token, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make the token %s: %w", path, replace.Reason(err))
	}
	file, info, err := replace.OpenRegular(path, "", os.O_RDONLY)
	if err != nil {
		return "", fmt.Errorf("read the token %s: %w", path, err)
	}
	defer file.Close()
	switch {
	case replace.IsForeign(info, model):
		return "", fmt.Errorf("the token in %s belongs to another user, who knows it: remove it, and a new one is made", path)
	case replace.Others(info) != 0:
		return "", fmt.Errorf("others can use the token in %s: chmod 600 it, and remove it if somebody may have read it: then a new one is made", path)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return "", fmt.Errorf("read the token %s: %w", path, err)
	}
	if token = strings.TrimSpace(string(text)); len(token) < MinToken {
		return "", fmt.Errorf("the token in %s has fewer than %d characters: remove it, and a new one is made", path, MinToken)
	}
	return token, nil
}

// isSame compares a text with a secret in a time that does not depend on either.
func isSame(text, secret string) bool {
	a, b := sha256.Sum256([]byte(text)), sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
