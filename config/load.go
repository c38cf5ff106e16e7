package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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
	Environ           []string  // the environment in the form of os.Environ; a variable without a text counts as not set
	Set               []Setting // the settings of the command line
}

// Setting is the name and the value of a setting.
type Setting struct{ Key, Value string }

// Loaded is the settings in force and their origins.
type Loaded struct {
	Config
	File    string            // the file that was read, or empty
	Origins map[string]string // of the settings that were given, by their names: "file", "environment" or "command line"
	Gone    []string          // a sentence about each setting that only earlier versions had
}

// Load combines the settings of all sources and checks them. The error lists all complaints, one a line.
func Load(s Sources) (Loaded, error) {
	v := viper.New()
	known := settings(Default())
	loaded := Loaded{Config: Default(), Origins: make(map[string]string)}
	var err error
	if loaded.File, err = readFile(v, s); err != nil {
		return Loaded{}, err
	}
	var errs []error
	var strange []func(model string) error // about unknown settings, when the model is known
	given := make(map[string]any)          // the values of settings
	use := func(key string, value any, origin, where string) {
		switch target, isKnown := find(known, key); {
		case isKnown && value == nil: // a key without a value
		case isKnown:
			given[target.key], loaded.Origins[target.key] = value, origin
		case isGone(key):
			loaded.Gone = append(loaded.Gone, key+" "+where+" has no effect: it is gone")
		default:
			strange = append(strange, func(model string) error { return unknown(key, known, model, where) })
		}
	}
	for _, key := range v.AllKeys() {
		if key != searchKey {
			use(key, v.Get(key), "file", "in "+loaded.File)
		}
	}
	slices.Sort(loaded.Gone) // the keys of a file come in no order
	for _, variable := range s.Environ {
		if name, value, _ := strings.Cut(variable, "="); value != "" && strings.HasPrefix(name, envPrefix) && name != PasswordVariable {
			use(name, value, "environment", "in the environment")
		}
	}
	for _, set := range s.Set {
		use(set.Key, set.Value, "command line", "on the command line")
	}
	model, _ := given["model"].(string)
	for _, about := range strange {
		errs = append(errs, about(cmp.Or(model, loaded.Model)))
	}
	search, err := readSearch(v.Get(searchKey), loaded.File)
	if err := errors.Join(append(errs, err)...); err != nil {
		return Loaded{}, err
	}
	loaded.Tune.Search = search
	for _, target := range settings(&loaded.Config) { // each by itself, so that an error names it
		if value, isGiven := given[target.key]; isGiven && decodeInto(target.value, value) != nil {
			errs = append(errs, fmt.Errorf("%s is %s (%s): must be %s", target.key, valueTOML(value), loaded.Origins[target.key], target.typeName()))
		}
	}
	if err := cmp.Or(errors.Join(errs...), loaded.Validate()); err != nil {
		return Loaded{}, err
	}
	return loaded, nil
}

func readFile(v *viper.Viper, s Sources) (string, error) {
	const maxFile = 1 << 18 // bytes
	path := cmp.Or(s.File, s.DefaultFile)
	switch info, err := os.Stat(path); {
	case s.File == "" && (path == "" || errors.Is(err, fs.ErrNotExist)):
		return "", nil
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("configuration %s: %w", path, fs.ErrNotExist)
	case err == nil && info.IsDir():
		return "", fmt.Errorf("configuration %s: it is a folder", path)
	case err == nil && !info.Mode().IsRegular():
		return "", fmt.Errorf("configuration %s: it is no file", path)
	case err == nil && info.Size() > maxFile: // which its parser could take minutes for
		return "", fmt.Errorf("configuration %s: it is larger than 256 kB", path)
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

// yamlLine matches the line in an error of the YAML parser, which names all but the first.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// fileError returns the error about a configuration file that cannot be read, with the line and the column of the fault and the text
// of the line, as far as the format tells them.
func fileError(path string, err error) error {
	const maxQuoted = 60 // bytes of a line that an error quotes whole
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("configuration %s: %w", path, e.Err)
	}
	text, _ := os.ReadFile(path) // without it, the line is not shown
	line, column, what := 0, 0, strings.Join(strings.Fields(err.Error()), " ")
	var toml interface{ Position() (row, column int) }
	var syntax *json.SyntaxError
	switch found := yamlLine.FindStringSubmatch(what); {
	case errors.As(err, &toml):
		line, column = toml.Position()
		what = strings.TrimPrefix(what, "toml: ")
	case errors.As(err, &syntax):
		before := string(text[:min(max(int(syntax.Offset)-1, 0), len(text))])
		line, column = 1+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n')
	case found != nil:
		line, what = 1, strings.TrimPrefix(what, found[0])
		if n, err := strconv.Atoi(found[1]); err == nil {
			line = n
		}
	}
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) {
		return fmt.Errorf("configuration %s: %s", path, what)
	}
	quoted, place := strings.TrimSpace(lines[line-1]), fmt.Sprintf("line %d", line)
	if column > 0 {
		place += fmt.Sprintf(", column %d", column)
		if first, _ := utf8.DecodeRuneInString(lines[line-1][min(column-1, len(lines[line-1])):]); what == "incomplete number" && unicode.IsLetter(first) {
			what = "a text needs quotes"
		}
	}
	if len(quoted) > maxQuoted {
		quoted = strings.ToValidUTF8(quoted[:maxQuoted], "") + "..."
	}
	return fmt.Errorf("configuration %s, %s: %s: %s", path, place, what, quoted)
}

// decodeInto sets target to a value from a file, the environment or the command line.
func decodeInto(target reflect.Value, value any) error {
	d, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		Result:           target.Addr().Interface(),
		WeaklyTypedInput: true, // the environment has only strings
		DecodeHook:       convert,
	})
	if err != nil {
		return err
	}
	return d.Decode(value)
}

// convert stops weak typing from converting true to 1 or "1", 3 to true, 2.5 to 2, 2^32 to 0, -1 to 2^64 - 1, and no text to 0 or false. It splits "a,b"; empty text is an empty list.
func convert(_, to reflect.Type, data any) (any, error) {
	if to.Kind() == reflect.Uint64 && strings.HasPrefix(fmt.Sprint(data), "-") {
		return nil, errors.New("negative")
	}
	_, isText := data.(string)
	if _, isBool := data.(bool); !isText && isBool != (to.Kind() == reflect.Bool) {
		return nil, errors.New("true or false")
	}
	switch value := data.(type) {
	case int64, uint64: // as text, which is an error if it is too large: of a number, the lowest bits would be taken
		return fmt.Sprint(value), nil
	case float64:
		if to.Kind() != reflect.Float64 {
			if value != math.Trunc(value) {
				return nil, errors.New("a fraction")
			}
			return strconv.FormatFloat(value, 'f', -1, 64), nil
		}
	case string:
		if to.Kind() == reflect.Slice {
			entries := strings.Split(value, ",")
			for i, entry := range entries {
				entries[i] = strings.TrimSpace(entry)
			}
			return slices.DeleteFunc(entries, func(entry string) bool { return entry == "" }), nil
		}
		if value == "" && to.Kind() != reflect.String { // such as a variable of a script that is not set
			return nil, errors.New("empty")
		}
	}
	return data, nil
}

// ErrUnknown is wrapped by the error about an unknown setting that resembles none.
var ErrUnknown = errors.New("no setting has a similar name")

// unknown returns the error for an unknown name. It suggests the nearest setting, or one of the same section whose name contains that of key, and of several
// with the same last part the one of the model in use.
func unknown(key string, known []setting, model, where string) error {
	what := fmt.Sprintf("unknown setting %q %s", key, where)
	if strings.HasPrefix(key, searchKey+".") {
		return fmt.Errorf("%s: each setting to search is a table [[%s]] with its key and values", what, searchKey)
	}
	name := lastPart(key)
	section := strings.TrimSuffix(key, name)
	var variables, keys, names, alike []string
	nearest := ""
	for _, k := range known {
		variables, keys, names = append(variables, strings.TrimPrefix(k.variable(), envPrefix)), append(keys, k.key), append(names, lastPart(k.key))
		// The section and the name must both be close: long sections make all of their settings resemble each other.
		if hint.Nearest(name, []string{lastPart(k.key)}) != "" {
			alike = append(alike, k.key)
		}
		if section != "" && strings.HasPrefix(k.key, section) && strings.Contains(lastPart(k.key), name) {
			nearest = cmp.Or(nearest, k.key)
		}
	}
	if i := slices.IndexFunc(keys, func(k string) bool { return strings.HasPrefix(k, strings.ToLower(key)+".") }); i >= 0 {
		return fmt.Errorf("%s: it is a section: name a setting in it, such as %s", what, keys[i])
	}
	nearest = cmp.Or(hint.Nearest(key, alike), nearest)
	if strings.HasPrefix(key, envPrefix) {
		if nearest = hint.Nearest(strings.TrimPrefix(key, envPrefix), variables); nearest != "" {
			nearest = envPrefix + nearest
		}
	} else if name := hint.Nearest(name, names); nearest == "" && name != "" { // people often omit the section, or give a wrong one
		if nearest = "models." + strings.ReplaceAll(model, "-", "_") + "." + name; !slices.Contains(keys, nearest) {
			nearest = keys[slices.Index(names, name)]
		}
	}
	if nearest == "" {
		return fmt.Errorf("%s: %w", what, ErrUnknown)
	}
	return fmt.Errorf("%s: did you mean %s?", what, nearest)
}

func lastPart(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// gone lists the settings that earlier versions had. A section ends in a dot, and a key of several models begins with one. They have no effect, and
// [Loaded.Gone] names them.
var gone = []string{
	".class_weights", ".patience", "models.arow.", "models.complement.", "models.hybrid.", "models.softmax.l1", "models.softmax.method", "serve.idle_minutes", "serve.token_file", "serve.unsure_days",
	"store.on_error", "store.sure", "tokenize.case_sensitive", "tokenize.classes", "tokenize.min_length", "tokenize.shape",
	"train.refit", "tune.time",
}

// isGone reports whether an earlier version had this setting, or this variable of the environment.
func isGone(name string) bool {
	variable, isVariable := strings.CutPrefix(name, envPrefix)
	key := strings.ToLower(variable)
	return slices.ContainsFunc(gone, func(old string) bool {
		isSection, ofMany := strings.HasSuffix(old, "."), strings.HasPrefix(old, ".")
		if isVariable {
			old = strings.ReplaceAll(old, ".", "_")
		}
		return key == old || isSection && strings.HasPrefix(key, old) || ofMany && strings.HasSuffix(key, old)
	})
}
