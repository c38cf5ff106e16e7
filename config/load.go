package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	"go.yaml.in/yaml/v3"
	encoding "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"chaff/internal/fieldtags"
	"chaff/internal/hint"
	"chaff/internal/screen"
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
	const maxStrange = 10
	known := settings(Default())
	loaded := Loaded{Config: Default(), Origins: make(map[string]string)}
	file, table, err := readFile(s)
	if err != nil {
		return Loaded{}, err
	}
	loaded.File = file
	var errs []error
	var strange []func(model string) error // about unknown settings, when the model is known
	given := make(map[string]any)          // the values of settings
	places := make(map[string]string)      // where they are
	use := func(key string, value any, origin, where string) {
		target, isKnown := find(known, key)
		switch {
		case isKnown && value == nil: // a key without a value
		case isKnown && loaded.Origins[target.key] == origin && origin != "command line": // two names of a setting, of which neither is the later one
			errs = append(errs, fmt.Errorf("%s is given twice %s", target.key, where))
		case isKnown:
			given[target.key], loaded.Origins[target.key], places[target.key] = value, origin, where
		case key == searchKey && origin == "file":
			given[searchKey], places[searchKey] = value, where
		case isGone(key):
			loaded.Gone = append(loaded.Gone, key+" "+where+" has no effect: it is gone")
		default:
			strange = append(strange, func(model string) error { return unknown(key, known, model, where) })
		}
	}
	leaves(known, table, "", func(key string, value any) { use(key, value, "file", "in "+file) })
	for _, variable := range s.Environ {
		if name, value, _ := strings.Cut(variable, "="); value != "" && strings.HasPrefix(name, envPrefix) && name != PasswordVariable {
			use(name, value, "environment", "in the environment")
		}
	}
	for _, set := range s.Set {
		use(set.Key, set.Value, "command line", "on the command line")
	}
	model, _ := given["model"].(string)
	for _, about := range strange[:min(len(strange), maxStrange)] {
		errs = append(errs, about(cmp.Or(model, loaded.Model)))
	}
	if more := len(strange) - maxStrange; more > 0 {
		errs = append(errs, fmt.Errorf("%d more unknown settings", more))
	}
	search, err := readSearch(given[searchKey], file)
	if err := errors.Join(append(errs, err)...); err != nil {
		return Loaded{}, err
	}
	loaded.Tune.Search = search
	for _, target := range settings(&loaded.Config) { // each by itself, so that an error names it
		if value, isGiven := given[target.key]; isGiven && decodeInto(target.value, value) != nil {
			errs = append(errs, fmt.Errorf("%s is %s: must be %s", target.key, valueTOML(value), target.typeName()))
		}
	}
	all := fieldtags.Complaints(cmp.Or(errors.Join(errs...), loaded.Validate()))
	for i, err := range all {
		key := err.Error()[:strings.IndexAny(err.Error()+" ", " :,")]
		if where := places[key]; where != "" {
			all[i] = fmt.Errorf("%w (%s)", err, where)
		}
	}
	if len(all) > 0 {
		return Loaded{}, errors.Join(all...)
	}
	return loaded, nil
}

// leaves calls use with the key and the value of each setting in a table of a file, in the order of their names. A table that is deeper than all settings is a
// value.
func leaves(known []setting, table map[string]any, prefix string, use func(key string, value any)) {
	const maxDepth = 4
	for _, name := range slices.Sorted(maps.Keys(table)) {
		key := prefix + strings.ToLower(name)
		inner, isTable := table[name].(map[string]any)
		if _, isKnown := find(known, key); isTable && !isKnown && (key != searchKey || len(inner) > 0) && strings.Count(key, ".") < maxDepth {
			leaves(known, inner, key+".", use)
		} else {
			use(key, table[name])
		}
	}
}

// readFile returns the path of the file and what it says; both are empty if there is none. A byte order mark may begin the file, also of UTF-16, in which the
// PowerShell of Windows saves what a program prints.
func readFile(s Sources) (string, map[string]any, error) {
	const maxFile = 1 << 18 // bytes
	path := cmp.Or(s.File, s.DefaultFile)
	switch info, err := os.Stat(path); {
	case s.File == "" && (path == "" || errors.Is(err, fs.ErrNotExist)):
		return "", nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("configuration %s: %w", path, fs.ErrNotExist)
	case err == nil && info.IsDir():
		return "", nil, fmt.Errorf("configuration %s: it is a folder", path)
	case err == nil && !info.Mode().IsRegular():
		return "", nil, fmt.Errorf("configuration %s: it is no file", path)
	case err == nil && info.Size() > maxFile: // which its parser could take minutes for
		return "", nil, fmt.Errorf("configuration %s: it is larger than 256 kB", path)
	}
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	decoder, err := viper.NewCodecRegistry().Decoder(format)
	if err != nil || !slices.Contains([]string{"toml", "yaml", "yml", "json"}, format) {
		return "", nil, fmt.Errorf("configuration %s: its name must end in .toml, .yaml or .json", path)
	}
	text, err := os.ReadFile(path)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return "", nil, fmt.Errorf("configuration %s: %w", path, e.Err)
	}
	text, _, err = transform.Bytes(encoding.BOMOverride(transform.Nop), text)
	table := make(map[string]any)
	if err := cmp.Or(err, decoder.Decode(text, table)); err != nil {
		return "", nil, fileError(path, text, err)
	}
	if format[0] == 'y' {
		var document any
		documents := yaml.NewDecoder(bytes.NewReader(text))
		for first := true; documents.Decode(&document) == nil; first = false {
			if !first && document != nil {
				return "", nil, fmt.Errorf("configuration %s: it has a second document, below a line ---: leave out one of them", path)
			}
			document = nil
		}
	}
	return path, table, nil
}

// yamlLine matches the line in an error of the YAML parser, which names all but the first.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// fileError returns the error about a configuration file whose text is wrong, with the line and the column of the fault and the text
// of the line, as far as the format tells them.
func fileError(path string, text []byte, err error) error {
	const maxQuoted = 60 // bytes of a line that an error quotes whole
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
		ZeroFields:       true, // an entry of a list that is null is empty, and not what the default has there
		DecodeHook:       convert,
	})
	if err != nil {
		return err
	}
	return d.Decode(value)
}

// convert stops weak typing from converting true to 1 or "1", 3 to true, 2.5 to 2, 2^32 to 0, -1 to 2^64 - 1, and no text to 0 or false. It splits "a,b"; empty text is an empty list.
func convert(_, to reflect.Type, data any) (any, error) {
	const maxWhole = 1 << 53 // below which a float64 is the whole number that was written
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
			if value != math.Trunc(value) || math.Abs(value) >= maxWhole {
				return nil, errors.New("a fraction, or rounded")
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
		for to.Kind() != reflect.String && len(value) > 1 && value[0] == '0' && '0' <= value[1] && value[1] <= '9' { // 010 is ten, not octal
			value = value[1:]
		}
		return value, nil
	}
	return data, nil
}

// ErrUnknown is wrapped by the error about an unknown setting that resembles none.
var ErrUnknown = errors.New("no setting has a similar name")

// unknown returns the error for an unknown name. It suggests the nearest setting, or one of the same section whose name contains that of key, and of several
// with the same last part the one of the model in use.
func unknown(key string, known []setting, model, where string) error {
	const maxKey = 100 // characters of a key that is compared with others, and quoted whole
	what := fmt.Sprintf("unknown setting %q %s", screen.Clip(key, maxKey), where)
	if len(key) > maxKey {
		return fmt.Errorf("%s: %w", what, ErrUnknown)
	}
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
	".class_weights", ".patience", "models.arow.", "models.complement.", "models.hybrid.", "models.softmax.l1", "models.softmax.method", "serve.idle_minutes", "serve.open_users", "serve.token_file", "serve.unsure_days",
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
