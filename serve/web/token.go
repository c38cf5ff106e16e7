package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"chaff/internal/replace"
)

// tokenSuffix is what the name of the file with the token has after that of the model.
const tokenSuffix = ".token"

// The sizes of tokens in bytes: of those that are made, and of the shortest that is accepted.
const (
	tokenSize = 32
	minToken  = 16
)

// readToken returns the token in a file. It makes the file if there is none; made reports that.
func readToken(path string) (token []byte, made bool, err error) {
	file, err := replace.Open(path, os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		fresh := make([]byte, tokenSize)
		rand.Read(fresh) // never fails
		text := hex.EncodeToString(fresh)
		_, err = file.WriteString(text + "\n")
		if err := errors.Join(err, file.Close()); err != nil {
			os.Remove(path)
			return nil, false, fmt.Errorf("write the token: %w", err)
		}
		return []byte(text), true, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return nil, false, fmt.Errorf("make the token: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, fmt.Errorf("read the token: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, false, fmt.Errorf("others can use the token in %s: chmod 600 it, and remove it if somebody may have read it: then a new one is made", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, false, fmt.Errorf("read the token: %w", err)
	}
	text := strings.TrimSpace(string(data))
	if len(text) < minToken {
		return nil, false, fmt.Errorf("the token in %s has fewer than %d characters: remove it, and a new one is made", path, minToken)
	}
	return []byte(text), false, nil
}

// isToken compares a text with the token in a time that does not depend on either.
func (s *server) isToken(text string) bool {
	a, b := sha256.Sum256([]byte(text)), sha256.Sum256(s.token)
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
