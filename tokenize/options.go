package tokenize

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Version names the rules that turn options and a message into terms. It changes whenever the same options give other terms. The stems
// are part of the rules, and so is the version of the library that makes them.
const Version = "5, snowball 0.10.0"

// Options say which terms a message has. They are stored with a model, since a model is only right for the terms it was
// trained on.
type Options struct {
	// Language is the language whose rules stem the words of subject and body: english, french, hungarian, norwegian,
	// russian, spanish or swedish. none does not stem, auto detects the language of each message by its script and its most
	// frequent words and falls back to english. Use auto for mail in several languages: on English mail it is slower and no
	// better. Default english.
	Language string `json:"language"`
	// CaseSensitive keeps the case of words. Words with an upper-case letter are then not stemmed. Default false: words are
	// in lower case.
	CaseSensitive bool `json:"case_sensitive"`
	// MinLength is the least length of a word, in characters. At least 1; default 1.
	MinLength int `json:"min_length"`
	// MaxLength is the greatest length of a word that is a term of its own, in characters. Longer words are counted by the
	// largest power of two in their length, as `body:64+`. At least 4; default 32.
	MaxLength int `json:"max_length"`
	// Pairs adds a term for each two neighbouring words or signs of subject and text, as `body:click here` and
	// `body:here !`. Default true.
	Pairs bool `json:"pairs"`
	// PairBytes is how many bytes at the head of the text give pairs. 0 is for the whole text. At least 0; default 1000.
	PairBytes int `json:"pair_bytes"`
	// Grams hashes 4-grams of bytes of the header and of the head of the text into 262,144 cells, for the models on
	// `evidence`. The hash leaves out half of the grams. They show how a program writes a header, and see through
	// spellings. Fields that filters, mailboxes, lists and the delivery write are left out. Default true.
	Grams bool `json:"grams"`
	// GramHeaderBytes is how many bytes of the header, without the fields that are left out, give grams. At least 0;
	// default 6000.
	GramHeaderBytes int `json:"gram_header_bytes"`
	// GramTextBytes is how many bytes at the head of the text give grams. At least 0; default 500.
	GramTextBytes int `json:"gram_text_bytes"`
	// Structure adds terms for how the header and the parts are written: the order of the fields, their values and shapes,
	// the shapes of message ids, dates, boundaries and hops of the route, and which addresses share a domain. They identify
	// the program that wrote the message. Default true.
	Structure bool `json:"structure"`
	// StartBytes is how many bytes of the text are its head, for the models on `head bits`, which use only the header, the
	// links and the head of the text. At least 0; default 1000.
	StartBytes int `json:"start_bytes"`
	// Symbols adds a term for each punctuation mark, currency sign and emoji. Default true.
	Symbols bool `json:"symbols"`
	// Classes adds a term for the class of each amount of money, percentage, date, time, telephone number, e-mail address
	// and number of five digits or more in subject and body: `class:money:$:3` for any hundreds of dollars. Default true.
	Classes bool `json:"classes"`
	// Shape adds terms for the number of images in HTML and for the ratio of markup to visible text: `html:images:4`,
	// `html:markup:8`. Default false, since newsletters and advertisements have the same shape.
	Shape bool `json:"shape"`
	// MaxTokens is the greatest number of tokens of a message. Further tokens are left out, marks are not. At least 1;
	// default 200000.
	MaxTokens int `json:"max_tokens"`
	// Headers lists the header fields to use, as names or patterns with `*`, in any case. Default `*`, all but those that
	// ignore_headers and the settings below leave out. An empty list uses no header field, not even the subject.
	Headers []string `json:"headers"`
	// IgnoreHeaders lists header fields to leave out, as names or patterns with `*`. The fields that filters and mailboxes
	// write are always left out: those whose name has a word such as spam, virus, junk, phish, bulk, scan, score, verdict,
	// bayes or filter, and others that chaff knows by name. Default none.
	IgnoreHeaders []string `json:"ignore_headers"`
	// Received uses the trace fields, Received and Return-Path. They name the route, which is often the same for all mail
	// of one source, so figures on an archive look better than the filter is. Default false.
	Received bool `json:"received"`
	// DeliveredTo uses the fields that name the recipient's mailbox, such as Delivered-To, X-Original-To and Envelope-To.
	// Default false.
	DeliveredTo bool `json:"delivered_to"`
	// List uses the fields that mailing lists add, such as List-*, X-BeenThere, Precedence and Sender. Default false, since
	// in an archive of lists they identify the archive.
	List bool `json:"list"`
	// Date uses the Date field. Default false, since ham and spam of an archive are often of different years.
	Date bool `json:"date"`
	// MessageID uses the fields that hold message ids: Message-ID, In-Reply-To, References. Default false.
	MessageID bool `json:"message_id"`
}

// DefaultOptions returns the default options.
func DefaultOptions() Options {
	return Options{
		Language:        "english",
		MinLength:       1,
		MaxLength:       32,
		Pairs:           true,
		PairBytes:       1000,
		Grams:           true,
		GramHeaderBytes: 6000,
		GramTextBytes:   500,
		Structure:       true,
		StartBytes:      1000,
		Symbols:         true,
		Classes:         true,
		MaxTokens:       200_000,
		Headers:         []string{"*"},
		IgnoreHeaders:   []string{},
	}
}

// Validate returns all errors in o, joined.
func (o Options) Validate() error {
	var errs []error
	if o.Language != autoLanguage && o.Language != noLanguage && stemmer(o.Language) == nil {
		errs = append(errs, fmt.Errorf("language is %q: must be %s, %s or %s", o.Language, strings.Join(Languages(), ", "), noLanguage, autoLanguage))
	}
	if o.MinLength < 1 {
		errs = append(errs, fmt.Errorf("min_length is %d: must be at least 1", o.MinLength))
	}
	if o.MaxLength < 4 {
		errs = append(errs, fmt.Errorf("max_length is %d: must be at least 4", o.MaxLength))
	}
	if o.MaxLength < o.MinLength {
		errs = append(errs, fmt.Errorf("max_length is %d: must be at least min_length, which is %d", o.MaxLength, o.MinLength))
	}
	for _, bytes := range []struct {
		key string
		n   int
	}{
		{"pair_bytes", o.PairBytes}, {"gram_header_bytes", o.GramHeaderBytes}, {"gram_text_bytes", o.GramTextBytes},
		{"start_bytes", o.StartBytes},
	} {
		if bytes.n < 0 {
			errs = append(errs, fmt.Errorf("%s is %d: must be at least 0", bytes.key, bytes.n))
		}
	}
	if o.MaxTokens < 1 {
		errs = append(errs, fmt.Errorf("max_tokens is %d: must be at least 1", o.MaxTokens))
	}
	errs = append(errs, validatePatterns("headers", o.Headers), validatePatterns("ignore_headers", o.IgnoreHeaders))
	return errors.Join(errs...)
}

func validatePatterns(key string, patterns []string) error {
	bad := slices.IndexFunc(patterns, func(p string) bool {
		_, err := path.Match(p, "")
		return err != nil || p == ""
	})
	if bad < 0 {
		return nil
	}
	return fmt.Errorf("%s has the entry %q: must be a header name or a pattern with *", key, patterns[bad])
}
