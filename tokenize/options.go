package tokenize

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// Version names the rules that turn options and a message into terms. It changes whenever the same options give other terms. The stems
// are part of the rules, and so is the version of the library that makes them.
const Version = "7, snowball 0.10.0"

// Options say which terms a message has. They are stored with a model, since a model is only right for the terms it was
// trained on.
type Options struct {
	// Language is the language whose rules stem the words of subject and text: english, french, hungarian, norwegian,
	// russian, spanish or swedish; none for no stemming. Default "english".
	Language string `json:"language"`
	// MaxLength is the largest length of a word in characters; longer words are counted by their length, such as
	// `body:64+`. At least 4. Default 32.
	MaxLength int `json:"max_length"`
	// Pairs makes a term of each two neighbouring words or signs of subject and text, such as `body:click here`.
	// Default true.
	Pairs bool `json:"pairs"`
	// PairBytes is how many bytes of the text have pairs; 0 is all of them. At least 0. Default 1000.
	PairBytes int `json:"pair_bytes"`
	// Grams maps every second run of four bytes of the header and of the head of the text to one of 262,144 cells, for
	// models on `evidence`. Default true.
	Grams bool `json:"grams"`
	// GramHeaderBytes is how many bytes of the header have grams, without what filters, mailboxes, lists, the delivery
	// and the receiving servers wrote. At least 0. Default 6000.
	GramHeaderBytes int `json:"gram_header_bytes"`
	// GramTextBytes is how many bytes of the text have grams. At least 0. Default 500.
	GramTextBytes int `json:"gram_text_bytes"`
	// Structure makes terms of how header and parts are written: order of fields, values and their shapes, shared
	// domains, types. It takes the domain of Message-ID, the shapes of Received and Date, and the time zone even if
	// their words are not read. Default true.
	Structure bool `json:"structure"`
	// StartBytes is the size of the head of the text in bytes, for models on `head bits`. At least 0. Default 1000.
	StartBytes int `json:"start_bytes"`
	// Symbols makes a term of each punctuation mark, currency sign and emoji. Default true.
	Symbols bool `json:"symbols"`
	// MaxTokens is how many tokens of a message are read; marks count in any case. At least 1. Default 200000.
	MaxTokens int `json:"max_tokens"`
	// Headers lists the header fields to read, as names or patterns with `*`. An empty list reads none, not even the
	// subject. Default ["*"].
	Headers []string `json:"headers"`
	// IgnoreHeaders lists more header fields to ignore altogether, as names or patterns with `*`. Fields of filters and
	// mailboxes are always ignored. Default [].
	IgnoreHeaders []string `json:"ignore_headers"`
	// Received reads the words of Received and Return-Path, the names of the hosts on the route, which may be that of an
	// archive. Without it, `structure` still takes the shape of each Received field, such as `step:from host by host with SMTP`,
	// and whether Return-Path has the domain of From, and `grams` takes runs of bytes of the fields. Default false.
	Received bool `json:"received"`
	// DeliveredTo reads the fields that name the mailbox of the recipient, such as Delivered-To. Without it, nothing of
	// them is used. Default false.
	DeliveredTo bool `json:"delivered_to"`
	// List reads the fields that mailing lists add, such as List-Id; in an archive they name the archive. Without it,
	// nothing of them is used. Default false.
	List bool `json:"list"`
	// Date reads the words of the Date field; in an archive, ham and spam are often of different years. Without it,
	// `structure` still takes the time zone and the shape of the date, and `grams` takes runs of its bytes. Default false.
	Date bool `json:"date"`
	// MessageID reads the words of Message-ID, In-Reply-To and References. Without it, `structure` still takes the domain
	// and the shape of Message-ID, such as `message-id:@example.com`, and the place of all three in the header, and
	// `grams` takes runs of their bytes. Default false.
	MessageID bool `json:"message_id"`
}

// DefaultOptions returns the default options.
func DefaultOptions() Options {
	return Options{
		Language:        "english",
		MaxLength:       32,
		Pairs:           true,
		PairBytes:       1000,
		Grams:           true,
		GramHeaderBytes: 6000,
		GramTextBytes:   500,
		Structure:       true,
		StartBytes:      1000,
		Symbols:         true,
		MaxTokens:       200_000,
		Headers:         []string{"*"},
		IgnoreHeaders:   []string{},
	}
}

// Validate returns all errors in o, joined.
func (o Options) Validate() error {
	var errs []error
	if o.Language != noLanguage && stemmers[o.Language] == nil {
		errs = append(errs, fmt.Errorf("language is %q: must be %s or %s", o.Language, strings.Join(Languages(), ", "), noLanguage))
	}
	for _, number := range []struct {
		key      string
		n, least int
	}{
		{"max_length", o.MaxLength, 4}, {"pair_bytes", o.PairBytes, 0}, {"gram_header_bytes", o.GramHeaderBytes, 0},
		{"gram_text_bytes", o.GramTextBytes, 0}, {"start_bytes", o.StartBytes, 0}, {"max_tokens", o.MaxTokens, 1},
	} {
		if number.n < number.least {
			errs = append(errs, fmt.Errorf("%s is %d: must be at least %d", number.key, number.n, number.least))
		}
	}
	for i, patterns := range [][]string{o.Headers, o.IgnoreHeaders} {
		for _, p := range patterns {
			if _, err := path.Match(p, ""); err != nil || p == "" {
				key := [...]string{"headers", "ignore_headers"}[i]
				errs = append(errs, fmt.Errorf("%s has the entry %q: must be a header name or a pattern with *", key, p))
				break
			}
		}
	}
	return errors.Join(errs...)
}
