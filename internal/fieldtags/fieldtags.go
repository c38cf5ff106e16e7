// Package fieldtags reads what the tags of the fields of settings say: their defaults and their ranges.
package fieldtags

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Default returns settings with the values of the tag `default`, in which a list has blanks between its entries. Sections and embedded structs have
// their own tags.
func Default[T any]() (settings T) {
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		for field, value := range v.Fields() {
			text, has := field.Tag.Lookup("default")
			switch {
			case value.Kind() == reflect.Struct && field.IsExported():
				fill(value)
			case value.Kind() == reflect.Slice && has:
				value.Set(reflect.ValueOf(strings.Fields(text)))
			case has:
				if _, err := fmt.Sscan(text, value.Addr().Interface()); err != nil {
					panic(fmt.Sprintf("default of %s: %v", field.Name, err))
				}
			}
		}
	}
	fill(reflect.ValueOf(&settings).Elem())
	return settings
}

// Check returns everything that is wrong with settings, which are a struct or a pointer to one, with those embedded in it and its sections; of a section that has
// a method Validate what that says. The tag `json` of a field is its key, and the tag `range` says what it must be, in words that the error has too: "from 1 to
// 100", "above 0 and at most 1e6", "at least 1", "0, or from 1 to less than 100", or for a text "random or fixed". An empty text stands for the default. It
// allocates next to nothing, because a process for one message checks the settings of its model.
func Check(settings any) error {
	v := reflect.Indirect(reflect.ValueOf(settings))
	var errs []error
	for i := range v.NumField() {
		value, field := v.Field(i), v.Type().Field(i)
		key, words, isText := field.Tag.Get("json"), field.Tag.Get("range"), value.Kind() == reflect.String
		switch {
		case field.Anonymous:
			errs = append(errs, Check(value.Interface()))
		case value.Kind() == reflect.Struct && key != "" && key != "-": // a section
			wrong := Check(value.Interface())
			if section, is := value.Interface().(interface{ Validate() error }); is {
				wrong = section.Validate()
			}
			for _, err := range Complaints(wrong) {
				errs = append(errs, fmt.Errorf("%s.%w", key, err))
			}
		case words == "", isWithin(value, words):
		case isText:
			errs = append(errs, fmt.Errorf("%s is %q: must be %s", key, value, words))
		default:
			errs = append(errs, fmt.Errorf("%s is %v: must be %s", key, value, words))
		}
	}
	return errors.Join(errs...)
}

// Complaints returns the errors that errors.Join has joined, at any depth.
func Complaints(err error) (all []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case ok:
		for _, e := range joined.Unwrap() {
			all = append(all, Complaints(e)...)
		}
	case err != nil:
		all = []error{err}
	}
	return all
}

func isWithin(value reflect.Value, words string) bool {
	if value.Kind() == reflect.String {
		allowed := strings.Split(strings.ReplaceAll(words, " or ", ", "), ", ")
		return value.Len() == 0 || slices.Contains(allowed, value.String())
	}
	var x float64
	if value.CanInt() {
		x = float64(value.Int())
	} else {
		x = value.Float() // NaN is in no range
	}
	is, before := true, ""
	for word := range strings.FieldsFuncSeq(words, func(r rune) bool { return r == ' ' || r == ',' }) {
		if '0' <= word[0] && word[0] <= '9' {
			limit, _ := strconv.ParseFloat(word, 64)
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
