package tokenize

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Version names the rules by which options and a message become terms. It changes whenever the same options give other
// terms; the stems are part of the rules, and so is the version of the library that makes them.
const Version = "5, snowball 0.10.0"

// Options say which terms a message has. They are stored with a model, since a model is only right for the terms it was
// trained on.
type Options struct {
	// Language is the language whose rules stem the words of subject and body: english, french, hungarian, norwegian,
	// russian, spanish or swedish, none to leave words as they are, or auto to take for each message the language that
	// its script and most frequent words tell, english if they tell none. auto is for mail of many languages: on English
	// mail it is a little slower and no better. Default english.
	Language string `json:"language"`
	// CaseSensitive keeps upper and lower case apart and, since stems are lower case, stems no word that has an upper
	// case letter. Default false: words are brought to lower case.
	CaseSensitive bool `json:"case_sensitive"`
	// MinLength is the length in characters that a word of letters or digits must have. At least 1; default 1.
	MinLength int `json:"min_length"`
	// MaxLength is the length in characters up to which a word is a term of its own. Longer words are counted by the
	// largest power of two in their length, as `body:64+`. At least 4; default 32.
	MaxLength int `json:"max_length"`
	// Pairs makes a term of each two neighbouring words or signs of subject and text, as `body:click here` and `body:here !`,
	// beside one of each word. Default true.
	Pairs bool `json:"pairs"`
	// PairBytes is how many bytes of the text pairs are made of; 0 is for all of it. At least 0; default 1000.
	PairBytes int `json:"pair_bytes"`
	// Grams makes a cell of every second run of four neighbouring bytes of the header and of the head of the text, for the models
	// that look at them: those on `evidence`. A cell is one of 262,144 numbers; which runs have one, their hash decides. They see how a program writes a header, and see
	// through spellings. Fields that filters, mailboxes, lists and the delivery write are left out. Default true.
	Grams bool `json:"grams"`
	// GramHeaderBytes is how many bytes of the header, without the fields that are left out, grams are made of. At least 0;
	// default 6000.
	GramHeaderBytes int `json:"gram_header_bytes"`
	// GramTextBytes is how many bytes of the text grams are made of. At least 0; default 500.
	GramTextBytes int `json:"gram_text_bytes"`
	// Structure makes terms of how the header and the parts are written, and not of what they say: the order of the fields,
	// whole values and the shapes of values, the shape of message ids, dates, boundaries and the steps of the route, and
	// which addresses are of one domain. It tells the program that made the message. Default true.
	Structure bool `json:"structure"`
	// StartBytes is how many bytes of the text are its start, for the models that look at no more than that: those on
	// `head bits`. At least 0; default 1000.
	StartBytes int `json:"start_bytes"`
	// Symbols makes a term of each punctuation mark, currency sign and emoji too. Default true.
	Symbols bool `json:"symbols"`
	// Classes makes a term of each amount of money, percentage, date, time, telephone number, e-mail address and number of
	// five digits and more in subject and body by its kind, beside its words: `class:money:$:3` for any amount of hundreds
	// of dollars. Default true.
	Classes bool `json:"classes"`
	// Shape makes terms of the number of images in HTML and of the ratio of markup to visible text: `html:images:4`,
	// `html:markup:8`. Default false, since a newsletter has the same shape as an advertisement.
	Shape bool `json:"shape"`
	// MaxTokens is the number of tokens of a message beyond which the others are left out; its marks count in any case. At
	// least 1; default 200000.
	MaxTokens int `json:"max_tokens"`
	// Headers lists the header fields to look at, as names or patterns with `*`, in any case. Default `*`, all but those
	// that ignore_headers and the settings below leave out; an empty list looks at no header field, not even the subject.
	Headers []string `json:"headers"`
	// IgnoreHeaders lists header fields to leave out, as names or patterns with `*`, beside those that filters and
	// mailboxes write, which are always left out: the fields whose name has a word such as spam, virus, junk, phish, bulk,
	// scan, score, verdict, bayes or filter, and a list of others. Default none.
	IgnoreHeaders []string `json:"ignore_headers"`
	// Received looks at the trace fields: Received and Return-Path. They name the route, which is often the same for
	// all mail of a source, so the figures of an archive look better than the filter is. Default false.
	Received bool `json:"received"`
	// DeliveredTo looks at the fields that name the recipient's mailbox: Delivered-To, X-Original-To, Envelope-To and
	// their like. Default false.
	DeliveredTo bool `json:"delivered_to"`
	// List looks at the fields that mailing lists add: List-*, X-BeenThere, Precedence, Sender and their like. Default
	// false, since in an archive of list mail they tell the archive and not the mail.
	List bool `json:"list"`
	// Date looks at the Date field. Default false, since in an archive ham and spam are often of different years.
	Date bool `json:"date"`
	// MessageID looks at the fields that hold message ids: Message-ID, In-Reply-To, References. Default false.
	MessageID bool `json:"message_id"`
}

// DefaultOptions returns the options used when nothing else is said.
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

// Validate returns everything that is wrong with o.
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
