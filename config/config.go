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
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"chaff/corpus"
	"chaff/features"
	"chaff/internal/fieldtags"
	"chaff/internal/screen"
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

// setting is one leaf of Config.
type setting struct {
	key   string // models.bernoulli.smoothing
	value reflect.Value
	field string // room and field, as "models.Bernoulli.Smoothing", by which reference.txt knows it
}

// settings lists the leaves of c, a Config or a pointer to one, in the order of the fields.
func settings(c any) (all []setting) {
	var add func(v reflect.Value, prefix string)
	add = func(v reflect.Value, prefix string) {
		for f, value := range v.Fields() {
			name := f.Tag.Get("json")
			switch key := prefix + name; {
			case name == "-": // set by the program
			case f.Type == reflect.TypeFor[[]Search](): // no single value: readSearch reads it
			case f.Anonymous: // settings that several sections have in common
				add(value, prefix)
			case f.Type.Kind() == reflect.Struct:
				add(value, key+".")
			default:
				all = append(all, setting{key, value, fmt.Sprintf("%s.%s", v.Type(), f.Name)})
			}
		}
	}
	add(reflect.Indirect(reflect.ValueOf(c)), "")
	return all
}

func (s setting) variable() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(s.key, ".", "_"))
}

func (s setting) typeName() string {
	return map[reflect.Kind]string{
		reflect.Bool: "true or false", reflect.Uint64: "a whole number, not negative", reflect.Int: "a whole number", reflect.Float64: "a number",
		reflect.Slice: "a list", reflect.String: "a text",
	}[s.value.Kind()]
}

// find returns the setting of a name, ignoring case, or of a variable of the environment. The section store is also called log.
func find(known []setting, name string) (setting, bool) {
	key := strings.ToLower(name)
	if rest, isLog := strings.CutPrefix(key, "log."); isLog {
		key = "store." + rest
	}
	variable, isVariable := strings.Replace(name, envPrefix+"LOG_", envPrefix+"STORE_", 1), strings.HasPrefix(name, envPrefix)
	i := slices.IndexFunc(known, func(k setting) bool { return k.key == key || isVariable && k.variable() == variable })
	if i < 0 {
		return setting{}, false
	}
	return known[i], true
}

// Value is one setting with its value. [Loaded.Describe] adds its origin and its description.
type Value struct {
	Key      string `json:"key"`
	Value    any    `json:"value"`
	Origin   string `json:"origin,omitempty"`
	Variable string `json:"environment_variable,omitempty"`
	Text     string `json:"text,omitempty"`
}

// valueTOML returns a value as TOML.
func valueTOML(value any) string {
	if text, isText := value.(string); isText {
		return quote(text)
	}
	list := reflect.ValueOf(value)
	if list.Kind() != reflect.Slice {
		return fmt.Sprint(value)
	}
	texts := make([]string, list.Len())
	for i := range texts {
		texts[i] = valueTOML(list.Index(i).Interface())
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// quote returns text as a TOML string. It escapes unprintable characters and replaces invalid UTF-8 with U+FFFD.
func quote(text string) string {
	out := []byte{'"'}
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case strconv.IsPrint(r):
			out = utf8.AppendRune(out, r)
		default:
			out = fmt.Appendf(out, `\U%08x`, r)
		}
	}
	return string(append(out, '"'))
}

// Describe lists all settings of l in the order of the sections.
func (l Loaded) Describe() []Value {
	texts := make(map[string]string)
	for line := range strings.Lines(referenceText) {
		field, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
		texts[field] = text
	}
	var values []Value
	for _, s := range settings(l.Config) {
		values = append(values, Value{s.key, s.value.Interface(), cmp.Or(l.Origins[s.key], "default"), s.variable(), texts[s.field]})
	}
	return values
}

// referenceText has the doc comment of each setting on a line: "package.Type.Field<TAB>text".
//
//go:embed reference.txt
var referenceText string

// Differences lists the settings of c that differ from their defaults, except the search and settings that change no result.
func (c Config) Differences() []Value {
	defaults := settings(Default())
	var values []Value
	for i, s := range settings(c) {
		if strings.HasPrefix(s.key, "tune.") || s.key == "workers" || s.key == "memory" || reflect.DeepEqual(s.value.Interface(), defaults[i].value.Interface()) {
			continue
		}
		values = append(values, Value{Key: s.key, Value: s.value.Interface()})
	}
	return values
}

// TOML returns values as the text of a TOML file. Line adds to the line of a value what a reader should know; nil adds nothing.
func TOML(values []Value, line func(v Value, line string) string) string {
	var b strings.Builder
	section := ""
	for _, v := range values {
		i := strings.LastIndexByte(v.Key, '.')
		if here := v.Key[:max(i, 0)]; here != section {
			section = here
			fmt.Fprintf(&b, "\n[%s]\n", section)
			if model, ofModel := OwnerOf(v.Key); ofModel && line != nil {
				b.WriteString(Comment(models.About(model)))
			}
		}
		text := fmt.Sprintf("%s = %s", v.Key[i+1:], valueTOML(v.Value))
		if line != nil {
			text = line(v, text)
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

// Comment returns text as comments of a TOML file, in lines of at most 80 columns.
func Comment(text string) string {
	return "# " + strings.Join(screen.Wrap(strings.Fields(text), 78), "\n# ") + "\n"
}

// TOML returns an entry as a table of a TOML file.
func (s Search) TOML() string {
	return fmt.Sprintf("[[%s]]\nkey = %s\nvalues = %s\n", searchKey, valueTOML(s.Key), valueTOML(s.Values))
}
