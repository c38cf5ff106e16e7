package config

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"

	"chaff/internal/hint"
)

const envPrefix = "CHAFF_"

// PasswordVariable is the variable of the environment that has the password of a mailbox. It is no setting.
const PasswordVariable = "CHAFF_IMAP_PASSWORD"

// Sources are the sources of settings besides the defaults. Later ones win.
type Sources struct {
	// File is the path of a configuration file in TOML, YAML or JSON, by its extension. Empty means DefaultFile, if it exists.
	File, DefaultFile string
	Environ           []string  // the environment in the form of os.Environ
	Set               []Setting // the settings of the command line
}

// Setting is the name and the value of a setting.
type Setting struct{ Key, Value string }

// Origin is the origin of a setting: "default", "file", "environment" or "command line".
type Origin string

// Loaded is the settings in force and their origins.
type Loaded struct {
	Config
	File    string            // the file that was read, or empty
	Origins map[string]Origin // by the name of the setting
	Gone    []string          // a sentence about each setting that only earlier versions had
}

func (l *Loaded) leaveOut(key, where string) {
	l.Gone = append(l.Gone, fmt.Sprintf("%s %s has no effect: it is gone", key, where))
}

// Load combines the settings of all sources and checks them. The error lists all complaints, one a line.
func Load(s Sources) (Loaded, error) {
	v := viper.New()
	known := settings(Default())
	loaded := Loaded{Config: Default(), Origins: make(map[string]Origin, len(known))}
	for _, k := range known {
		v.SetDefault(k.key, k.value.Interface())
		loaded.Origins[k.key] = "default"
	}
	var err error
	if loaded.File, err = readFile(v, s); err != nil {
		return Loaded{}, err
	}
	var errs []error
	environment := fromEnvironment(s.Environ, known)
	for _, set := range slices.Concat(environment, s.Set) { // the model first: unknown settings are probably its own
		if strings.EqualFold(set.Key, "model") {
			v.Set("model", set.Value)
		}
	}
	for _, key := range v.AllKeys() {
		switch _, isKnown := find(known, key); {
		case key == searchKey:
		case isGone(key):
			loaded.leaveOut(key, "in "+loaded.File)
		case !isKnown:
			errs = append(errs, unknown(key, known, v.GetString("model"), "in "+loaded.File))
		case loaded.File != "" && v.InConfig(key):
			target, _ := find(known, key)
			if loaded.Origins[target.key] = "file"; target.key != key {
				v.Set(target.key, v.Get(key))
			}
		}
	}
	slices.Sort(loaded.Gone) // the keys of a file come in no order
	errs = append(errs, loaded.override(v, known, environment, "environment")...)
	errs = append(errs, loaded.override(v, known, s.Set, "command line")...)
	search, err := readSearch(v.Get(searchKey), loaded.File)
	if err := errors.Join(append(errs, err)...); err != nil {
		return Loaded{}, err
	}
	loaded.Tune.Search = search
	if err := decode(v, known, loaded.Origins, &loaded.Config); err != nil {
		return Loaded{}, err
	}
	if err := loaded.Validate(); err != nil {
		return Loaded{}, err
	}
	return loaded, nil
}

// readFile reads the configuration file, if there is one, and returns its path.
func readFile(v *viper.Viper, s Sources) (string, error) {
	path := s.File
	if path == "" {
		if _, err := os.Stat(s.DefaultFile); s.DefaultFile == "" || errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		path = s.DefaultFile
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("configuration %s: %w", path, fs.ErrNotExist)
	case err == nil && info.IsDir():
		return "", fmt.Errorf("configuration %s: it is a folder", path)
	case err == nil && !info.Mode().IsRegular():
		return "", fmt.Errorf("configuration %s: it is no file", path)
	}
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if !slices.Contains([]string{"toml", "yaml", "yml", "json"}, format) {
		return "", fmt.Errorf("configuration %s: its name must end in .toml, .yaml or .json", path)
	}
	v.SetConfigFile(path)
	if err := v.ReadInConfig(); err != nil {
		if e, ok := errors.AsType[viper.ConfigParseError](err); ok {
			err = errors.Unwrap(e)
		}
		return "", fileError(path, err)
	}
	return path, nil
}

// fromEnvironment returns the settings of our environment variables. A variable that matches no setting keeps its name, for
// the error.
func fromEnvironment(environ []string, known []setting) []Setting {
	var set []Setting
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, envPrefix) || name == PasswordVariable {
			continue
		}
		if rest, isLog := strings.CutPrefix(name, envPrefix+"LOG_"); isLog {
			name = envPrefix + "STORE_" + rest
		}
		if i := slices.IndexFunc(known, func(k setting) bool { return k.variable() == name }); i >= 0 {
			name = known[i].key
		}
		set = append(set, Setting{name, value})
	}
	return set
}

// override sets a value from the environment or the command line.
func (l *Loaded) override(v *viper.Viper, known []setting, set []Setting, origin Origin) []error {
	var errs []error
	for _, s := range set {
		switch target, isKnown := find(known, s.Key); {
		case isKnown:
			v.Set(target.key, s.Value)
			l.Origins[target.key] = origin
		case isGone(s.Key):
			l.leaveOut(s.Key, origin.place())
		default:
			errs = append(errs, unknown(s.Key, known, v.GetString("model"), origin.place()))
		}
	}
	return errs
}

// decode decodes each setting by itself, so that an error names it.
func decode(v *viper.Viper, known []setting, origins map[string]Origin, c *Config) error {
	var errs []error
	for _, target := range settings(c) {
		value := v.Get(target.key)
		if err := decodeInto(target.value, value); err != nil {
			errs = append(errs, fmt.Errorf("%s is %#v (%s): must be %s", target.key, value, origins[target.key], target.typeName()))
		}
	}
	return errors.Join(errs...)
}

// decodeInto sets target to a value from a file, the environment or the command line.
func decodeInto(target reflect.Value, value any) error {
	d, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		Result:           target.Addr().Interface(),
		WeaklyTypedInput: true, // the environment has only strings
		DecodeHook:       mapstructure.ComposeDecodeHookFunc(keepMeaning, splitList),
	})
	if err != nil {
		return err
	}
	return d.Decode(value)
}

// keepMeaning stops weak typing from converting true to 1 or "1", and 2.5 to 2.
func keepMeaning(from, to reflect.Type, data any) (any, error) {
	if from.Kind() == reflect.Bool && to.Kind() != reflect.Bool {
		return nil, errors.New("true or false")
	}
	if f, ok := data.(float64); ok && f != math.Trunc(f) && to.Kind() != reflect.Float64 {
		return nil, errors.New("a fraction")
	}
	return data, nil
}

// splitList splits "a,b". Empty text is an empty list.
func splitList(from, to reflect.Type, data any) (any, error) {
	text, isText := data.(string)
	if !isText || to.Kind() != reflect.Slice {
		return data, nil
	}
	list := []string{}
	for entry := range strings.SplitSeq(text, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			list = append(list, entry)
		}
	}
	return list, nil
}

// ErrUnknown is wrapped by the error about an unknown setting that resembles none.
var ErrUnknown = errors.New("no setting has a similar name")

// unknown returns the error for an unknown name. It suggests the nearest setting, and of several with the same last part the one of the
// model in use.
func unknown(key string, known []setting, model, where string) error {
	what := fmt.Sprintf("unknown setting %q %s", key, where)
	if strings.HasPrefix(key, envPrefix) {
		var variables []string
		for _, k := range known {
			variables = append(variables, k.variable())
		}
		return suggest(what, hint.Nearest(key, variables))
	}
	var keys, names []string
	for _, k := range known {
		keys, names = append(keys, k.key), append(names, lastPart(k.key))
	}
	if i := slices.IndexFunc(keys, func(k string) bool { return strings.HasPrefix(k, strings.ToLower(key)+".") }); i >= 0 {
		return fmt.Errorf("%s: it is a section: name a setting in it, such as %s", what, keys[i])
	}
	// The section and the name must both be close: long sections make all of their settings resemble each other.
	alike := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return hint.Nearest(lastPart(key), []string{lastPart(k)}) == "" })
	if nearest := hint.Nearest(key, alike); nearest != "" {
		return suggest(what, nearest)
	}
	// People often omit the section, or give a wrong one.
	name := hint.Nearest(lastPart(key), names)
	if name == "" {
		return suggest(what, "")
	}
	own := "models." + strings.ReplaceAll(model, "-", "_") + "." + name
	if i := slices.Index(names, name); !slices.Contains(keys, own) {
		own = keys[i]
	}
	return suggest(what, own)
}

func suggest(what, nearest string) error {
	if nearest == "" {
		return fmt.Errorf("%s: %w", what, ErrUnknown)
	}
	return fmt.Errorf("%s: did you mean %s?", what, nearest)
}

func lastPart(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// place says where a setting with the origin is, after its name.
func (o Origin) place() string {
	if o == "command line" {
		return "on the " + string(o)
	}
	return "in the " + string(o)
}
