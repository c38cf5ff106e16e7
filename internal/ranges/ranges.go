// Package ranges checks settings by the tags of their fields.
package ranges

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Check returns everything that is wrong with settings, which are a struct or a pointer to one. The tag `json` of a field is its key, and the tag
// `range` says what it must be, in words that the error has too: "from 1 to 100", "above 0 and at most 1e6", "at least 1", "0, or from 1 to less than
// 100", or for a text "random or fixed". An empty text stands for the default.
func Check(settings any) error {
	v := reflect.Indirect(reflect.ValueOf(settings))
	var errs []error
	for _, field := range reflect.VisibleFields(v.Type()) { // those of embedded structs too
		value, words := v.FieldByIndex(field.Index), field.Tag.Get("range")
		switch {
		case words == "" || isWithin(value, words):
		case value.Kind() == reflect.String:
			errs = append(errs, fmt.Errorf("%s is %q: must be %s", field.Tag.Get("json"), value, words))
		default:
			errs = append(errs, fmt.Errorf("%s is %v: must be %s", field.Tag.Get("json"), value, words))
		}
	}
	return errors.Join(errs...)
}

func isWithin(value reflect.Value, words string) bool {
	if value.Kind() == reflect.String {
		choices := strings.Split(strings.ReplaceAll(words, " or ", ", "), ", ")
		return value.String() == "" || slices.Contains(choices, value.String())
	}
	x := value.Convert(reflect.TypeFor[float64]()).Float() // NaN is in no range
	is, before := true, ""
	for _, word := range strings.FieldsFunc(words, func(r rune) bool { return r == ' ' || r == ',' }) {
		if limit, err := strconv.ParseFloat(word, 64); err == nil {
			switch before {
			case "from", "least":
				is = is && x >= limit
			case "above":
				is = is && x > limit
			case "to", "most":
				is = is && x <= limit
			case "than":
				is = is && x < limit
			default:
				if x == limit {
					return true
				}
			}
		}
		before = word
	}
	return is
}
