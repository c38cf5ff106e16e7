package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// searchKey is the key of the list of entries, the only key of a file that is not a single setting.
const searchKey = "tune.search"

// readSearch returns the entries at searchKey, or nil.
func readSearch(raw any, file string) ([]Search, error) {
	if raw == nil {
		return nil, nil
	}
	list, isList := raw.([]any)
	if table, isTable := raw.(map[string]any); isTable && len(table) > 0 {
		return nil, nil // its keys are unknown settings
	}
	if !isList {
		return nil, fmt.Errorf("%s in %s: must be a list of entries, in TOML each under [[%s]]", searchKey, file, searchKey)
	}
	var errs []error
	search := make([]Search, len(list))
	for i, entry := range list {
		if err := readEntry(entry, &search[i]); err != nil {
			for _, err := range complaints(err) {
				errs = append(errs, fmt.Errorf("%s, entry %d in %s: %w", searchKey, i+1, file, err))
			}
		}
	}
	return search, errors.Join(errs...)
}

// readEntry sets the fields of an entry by name.
func readEntry(raw any, s *Search) error {
	entry, isTable := raw.(map[string]any)
	if !isTable {
		return fmt.Errorf("is %#v: must have a key and values, or a key, from and to", raw)
	}
	fields := make(map[string]reflect.Value)
	var names []string
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("json")
		fields[name] = v.Field(i)
		names = append(names, name)
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(entry)) {
		field, known := fields[name]
		if !known {
			errs = append(errs, fmt.Errorf("unknown setting %q: known are %s", name, strings.Join(names, ", ")))
			continue
		}
		if field.Kind() == reflect.Pointer {
			field.Set(reflect.New(field.Type().Elem()))
			field = field.Elem()
		}
		if values, isList := entry[name].([]any); isList && name == "values" {
			field.Set(reflect.ValueOf(values)) // of any type: that of the setting
			continue
		}
		if err := decodeInto(field, entry[name]); err != nil {
			errs = append(errs, fmt.Errorf("%s is %#v: must be %s", name, entry[name], setting{value: field}.typeName()))
		}
	}
	return errors.Join(errs...)
}

// TOML returns an entry as a table of a TOML file.
func (s Search) TOML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[[%s]]\nkey = %s\n", searchKey, quote(s.Key))
	if s.Values != nil {
		fmt.Fprintf(&b, "values = %s\n", listTOML(s.Values))
	}
	if s.From != nil {
		fmt.Fprintf(&b, "from = %v\n", *s.From)
	}
	if s.To != nil {
		fmt.Fprintf(&b, "to = %v\n", *s.To)
	}
	if s.Scale != "" {
		fmt.Fprintf(&b, "scale = %s\n", quote(s.Scale))
	}
	if s.Steps != 0 {
		fmt.Fprintf(&b, "steps = %d\n", s.Steps)
	}
	return b.String()
}

// listTOML returns values, or lists of values, as TOML.
func listTOML(values []any) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = Value{Value: value}.TOML()
		if list, isList := value.([]any); isList {
			texts[i] = listTOML(list)
		}
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
