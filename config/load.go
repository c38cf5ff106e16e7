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
)

const envPrefix = "CHAFF_"

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
	for _, key := range v.AllKeys() {
		if key == searchKey {
			continue
		}
		if _, isKnown := find(known, key); !isKnown {
			errs = append(errs, unknown(key, known, "in "+loaded.File))
		} else if loaded.File != "" && v.InConfig(key) {
			loaded.Origins[key] = "file"
		}
	}
	errs = append(errs, override(v, loaded.Origins, known, fromEnvironment(s.Environ, known), "environment")...)
	errs = append(errs, override(v, loaded.Origins, known, s.Set, "command line")...)
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
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if !slices.Contains([]string{"toml", "yaml", "yml", "json"}, format) {
		return "", fmt.Errorf("read configuration %s: its name must end in .toml, .yaml or .json", path)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("read configuration %s: it is no regular file", path)
	}
	v.SetConfigFile(path)
	if err := v.ReadInConfig(); err != nil {
		if e, ok := errors.AsType[viper.ConfigParseError](err); ok {
			err = errors.Unwrap(e)
		}
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err
		}
		oneLine := strings.Join(strings.Fields(err.Error()), " ")
		return "", fmt.Errorf("read configuration %s: %s", path, oneLine)
	}
	return path, nil
}

// fromEnvironment returns the settings of our environment variables. A variable that matches no setting keeps its name, for
// the error.
func fromEnvironment(environ []string, known []setting) []Setting {
	var set []Setting
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, envPrefix) {
			continue
		}
		if i := slices.IndexFunc(known, func(k setting) bool { return k.variable() == name }); i >= 0 {
			name = known[i].key
		}
		set = append(set, Setting{name, value})
	}
	return set
}

// override sets a value from the environment or the command line.
func override(v *viper.Viper, origins map[string]Origin, known []setting, set []Setting, origin Origin) []error {
	var errs []error
	for _, s := range set {
		target, isKnown := find(known, s.Key)
		if !isKnown {
			errs = append(errs, unknown(s.Key, known, "from the "+string(origin)))
			continue
		}
		v.Set(target.key, s.Value)
		origins[target.key] = origin
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

// unknown returns the error for an unknown name. It suggests the nearest setting.
func unknown(key string, known []setting, where string) error {
	nearest, least := "", -1
	for _, k := range known {
		name := k.key
		if strings.HasPrefix(key, envPrefix) {
			name = k.variable()
		}
		if d := distance(strings.ToLower(key), strings.ToLower(name)); least < 0 || d < least {
			nearest, least = name, d
		}
	}
	return fmt.Errorf("unknown setting %q %s: the nearest known is %q", key, where, nearest)
}

// distance is the number of characters to insert, delete or replace to turn a into b (Levenshtein). Characters before the last
// part of b cost little, because people often omit the section of a setting.
func distance(a, b string) int {
	d := levenshtein(a, b)
	if i := strings.LastIndexByte(b, '.'); i >= 0 {
		d = min(d, levenshtein(a, b[i+1:])+1)
	}
	return d
}

func levenshtein(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
