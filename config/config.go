// Package config loads the settings of the program. It combines defaults, a file (TOML, YAML or JSON), environment variables
// and the command line into one typed and valid [Config]. It is the only package that uses viper.
//
// The name of a setting is its section and key, such as `models.bernoulli.smoothing`; its environment variable is
// CHAFF_MODELS_BERNOULLI_SMOOTHING. An unknown name is an error that suggests the nearest one.
//
// The description of a setting is the doc comment of its field. `go test ./config -update` extracts these comments into
// reference.txt, and a test fails if that file is stale.
package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"chaff/corpus"
	"chaff/features"
	"chaff/internal/fieldtags"
	"chaff/mailbox"
	"chaff/message"
	"chaff/metrics"
	"chaff/models"
	"chaff/serve"
	"chaff/share"
	"chaff/store"
	"chaff/tokenize"
)

// Config is all settings. Its sections are the options of other packages.
type Config struct {
	// Model is the name of the model to train: one of models.Names. Default "votes".
	Model string `json:"model" default:"votes"`
	// Seed decides how chance divides the messages, and in which order training reads them. Any whole number from 0.
	// Default 1.
	Seed uint64 `json:"seed" default:"1"`
	// Workers is how many messages are read at the same time; 0 is one for each core. It changes no result. From 0 to
	// 1000. Default 0.
	Workers int `json:"workers" range:"from 0 to 1000"`
	// Memory is how much the documents and the sorting of their terms may take, such as "300MB"; the rest is in
	// temporary files. Each distinct term and its weights, about 80 bytes, and 300 bytes a message come on top. "0" is
	// no limit. It changes no result. Default "32MB".
	Memory string `json:"memory" default:"32MB"`

	// KeyFile names the file with the secret key of the hashes of terms, 32 hexadecimal digits, which is created if it
	// does not exist. Machines whose models are merged share one. "" is $XDG_DATA_HOME/chaff/key. Default "".
	KeyFile string `json:"key_file"`

	Split      corpus.SplitOptions      `json:"split"`
	Message    message.Options          `json:"message"`
	Tokenize   tokenize.Options         `json:"tokenize"`
	Features   features.Options         `json:"features"`
	Models     models.Options           `json:"models"`
	Thresholds metrics.ThresholdOptions `json:"thresholds"`
	Store      store.Options            `json:"store"`
	Mailbox    mailbox.Options          `json:"mailbox"`
	Serve      serve.Options            `json:"serve"`
	Share      share.Options            `json:"share"`
	Tune       Tune                     `json:"tune"`
}

// Default returns the default settings.
func Default() Config {
	c := fieldtags.Default[Config]()
	c.Message, c.Models = message.DefaultOptions(), models.DefaultOptions()
	return c
}

// Validate returns all errors in c, each with the full name of the setting.
func (c Config) Validate() error {
	var errs []error
	if err := models.Gone(c.Model); err != nil {
		errs = append(errs, err)
	} else if !slices.Contains(models.Names(), c.Model) {
		errs = append(errs, fmt.Errorf("model is %q: must be one of %s", c.Model, strings.Join(models.Names(), ", ")))
	}
	if _, err := ParseSize(c.Memory); err != nil {
		errs = append(errs, fmt.Errorf("memory is %w", err))
	}
	for _, s := range settings(c) {
		if strings.HasPrefix(s.value.String(), "~/") { // no shell reads a file, nor what follows an equals sign: it would make a folder named ~
			errs = append(errs, fmt.Errorf("%s is %s: must be the whole path, since only a shell knows ~", s.key, quote(s.value.String())))
		}
		if text := fmt.Sprint(s.value); strings.HasSuffix(s.key, "headers") && strings.ContainsAny(text, `:"`) { // such as Subject:, which would read nothing
			errs = append(errs, fmt.Errorf("%s is %s: must be names of header fields, without colons and quotes", s.key, text))
		}
	}
	return errors.Join(append(errs, fieldtags.Check(c))...)
}

// ParseSize returns the number of bytes of a size such as "300MB", "1.5GB" or "4096". The units kB, MB, GB and TB are powers
// of 1,000, in any case and with or without the B.
func ParseSize(text string) (int64, error) {
	number, factor := strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(text)), "B"), 1.0
	for i, unit := range []string{"K", "M", "G", "T"} {
		if before, found := strings.CutSuffix(number, unit); found {
			number, factor = before, math.Pow10(3*(i+1))
		}
	}
	size, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(size >= 0 && size*factor < math.MaxInt64) {
		return 0, fmt.Errorf("%q: must be a size like 300MB or 2GB, or 0", text)
	}
	return int64(size * factor), nil
}
