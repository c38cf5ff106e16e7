//go:build unix

package main

import (
	"bufio"
	"bytes"
	"chaff/internal/termkey"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// letter is a message that generated mail is made of.
type letter struct {
	isSpam bool
	raw    []byte
}

// readLetters reads the messages in the subfolders of a folder. Those with "spam" in their names hold spam.
func readLetters(folder string) ([]letter, error) {
	var letters []letter
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(name)
		letters = append(letters, letter{strings.Contains(filepath.Base(filepath.Dir(name)), "spam"), raw})
		return err
	})
	if err == nil && len(letters) < 100 {
		err = fmt.Errorf("%s: %d messages are too few", folder, len(letters))
	}
	// Shuffle, so that any part is like the whole.
	random := rand.New(rand.NewPCG(1, 0))
	random.Shuffle(len(letters), func(i, j int) { letters[i], letters[j] = letters[j], letters[i] })
	return letters, err
}

// write writes two mboxes with so many copies of the letters. In a copy, some rare words are renamed consistently and some
// words is the vocabulary of the letters.
func write(ham, spam string, letters []letter, times int, exponent float64) (size int64, err error) {
	hamFile, err1 := os.Create(ham)
	spamFile, err2 := os.Create(spam)
	if err := errors.Join(err1, err2); err != nil {
		return 0, err
	}
	out := map[bool]*bufio.Writer{false: bufio.NewWriter(hamFile), true: bufio.NewWriter(spamFile)}
	words, random := countWords(letters), rand.New(rand.NewPCG(2, 0))
	var buf []byte
	for copied := range times {
		// What is new in this copy, as the law has it, beside what was in the letters themselves.
		isNew := math.Pow(float64(copied+1), exponent) - math.Pow(float64(copied), exponent)
		for _, l := range letters {
			buf = append(buf[:0], l.raw...)
			if copied > 0 {
				words.rename(buf, copied, isNew*float64(len(words.in))/float64(words.rare))
				words.exchange(buf, random, isNew*exchanged)
			}
			size += int64(len(buf))
			writeMbox(out[l.isSpam], buf)
		}
	}
	return size, errors.Join(out[false].Flush(), out[true].Flush(), hamFile.Close(), spamFile.Close())
}

// writeMbox writes a message to an mbox. Flush returns its errors.
func writeMbox(w *bufio.Writer, raw []byte) {
	if !bytes.HasPrefix(raw, []byte("From ")) {
		fmt.Fprint(w, "From growth@example.org Thu Jan  1 00:00:00 2004\n")
	}
	for n, line := range bytes.SplitAfter(raw, []byte("\n")) {
		if n > 0 && bytes.HasPrefix(bytes.TrimLeft(line, ">"), []byte("From ")) {
			_ = w.WriteByte('>')
		}
		_, _ = w.Write(line)
	}
	fmt.Fprint(w, "\n\n")
}

// words are the words of letters.
type words struct {
	in    map[uint64]int        // by hash: in how many letters
	rare  int                   // how many are in no more than rareIn
	plain [longest + 1][][]byte // those between blanks, by length, as often as they occur
}

const (
	rareIn = 2
	// Shorter words are often not words, and longer ones are encoded data.
	shortest, longest = 3, 20
	// exchanged is which share of the words between blanks is exchanged in a copy that doubles the number of terms. With it
	// the terms of the public corpora grow as by themselves.
	exchanged = 0.35
)

func countWords(letters []letter) words {
	w := words{in: make(map[uint64]int)}
	for _, l := range letters {
		seen := make(map[uint64]bool)
		eachWord(l.raw, func(word []byte) {
			if hash := (termkey.Key{}).Hash(word); !seen[hash] {
				seen[hash] = true
				w.in[hash]++
			}
		})
		eachPlainWord(l.raw, func(word []byte) { w.plain[len(word)] = append(w.plain[len(word)], word) })
	}
	for _, n := range w.in {
		if n <= rareIn {
			w.rare++
		}
	}
	return w
}

// rename renames a share of the rare words of a letter, keeping their lengths.
func (w words) rename(raw []byte, copied int, share float64) {
	eachWord(raw, func(word []byte) {
		hash := (termkey.Key{}).Hash(word)
		if w.in[hash] > rareIn {
			return
		}
		random := rand.New(rand.NewPCG(hash, uint64(copied)))
		if random.Float64() >= share {
			return
		}
		for i, c := range word {
			switch {
			case c >= '0' && c <= '9':
				word[i] = '0' + byte(random.IntN(10))
			case c >= 'a' && c <= 'z':
				word[i] = 'a' + byte(random.IntN(26))
			default:
				word[i] = 'A' + byte(random.IntN(26))
			}
		}
	})
}

// exchange replaces a share of the words between spaces.
func (w words) exchange(raw []byte, random *rand.Rand, share float64) {
	eachPlainWord(raw, func(word []byte) {
		if random.Float64() < share {
			others := w.plain[len(word)]
			copy(word, others[random.IntN(len(others))])
		}
	})
}

// eachPlainWord calls do with the words of the body between spaces.
func eachPlainWord(raw []byte, do func(word []byte)) {
	body := max(bytes.Index(raw, []byte("\n\n")), 0)
	isBlank := func(i int) bool { return i >= len(raw) || raw[i] == ' ' || raw[i] == '\n' }
	eachWord(raw[body:], func(word []byte) {
		at := cap(raw) - cap(word)
		if at > 0 && isBlank(at-1) && isBlank(at+len(word)) {
			do(word)
		}
	})
}

// eachWord calls do with the runs of ASCII letters and digits.
func eachWord(raw []byte, do func(word []byte)) {
	start := 0
	for i := 0; i <= len(raw); i++ {
		if i < len(raw) {
			if c := raw[i] | 0x20; c >= 'a' && c <= 'z' || raw[i] >= '0' && raw[i] <= '9' {
				continue
			}
		}
		if n := i - start; n >= shortest && n <= longest {
			do(raw[start:i])
		}
		start = i + 1
	}
}
