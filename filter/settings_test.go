package filter

import (
	"encoding/binary"
	"reflect"
	"testing"

	"chaff/tokenize"
)

// fillIn sets all of a value to something that is not zero, and different for neighbours.
func fillIn(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fillIn(v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillIn(v.Index(0), n)
		fillIn(v.Index(1), n)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillIn(v.Elem(), n)
	case reflect.String:
		v.SetString("text" + string(rune('a'+*n%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Uint8:
		v.SetUint(uint64(*n % 200))
	case reflect.Float64:
		v.SetFloat(float64(*n) / 8)
	default:
		panic("a setting of the kind " + v.Kind().String())
	}
}

func TestANumberOfTheSettingsIsReadAsItIsOrRefused(t *testing.T) {
	for _, n := range []int64{1<<31 - 1, 1 << 31, 1 << 32, -1<<31 - 1} {
		c := settingsCodec{data: binary.AppendVarint(nil, n), reads: true}
		if got := int64(c.number(0)); !c.failed && got != n || c.failed && int64(int(n)) == n {
			t.Errorf("%d is read as %d", n, got)
		}
	}
}

func TestAllSettingsAreSaved(t *testing.T) {
	var want Settings
	n := 0
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		if !field.Anonymous && field.Name != "Key" {
			fillIn(reflect.ValueOf(&want).Elem().FieldByIndex(field.Index), &n)
		}
	}
	want.TermsVersion, want.Tokenize.Language = tokenize.Version, tokenize.DefaultOptions().Language
	for name, settings := range map[string]Settings{"all are set": want, "none is": {TermsVersion: tokenize.Version}} {
		c := settingsCodec{data: encodeSettings(settings), reads: true}
		var got Settings
		if c.all(&got); c.failed || len(c.data) > 0 {
			t.Errorf("%s: %d bytes are left", name, len(c.data))
		}
		if !reflect.DeepEqual(got, settings) {
			t.Errorf("%s: got %+v, want %+v", name, got, settings)
		}
	}
	for size := range encodeSettings(want) {
		if _, err := decodeSettings(encodeSettings(want)[:size]); err == nil {
			t.Fatalf("the first %d bytes are settings", size)
		}
	}
}
