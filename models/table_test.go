package models

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"chaff/features"
	"chaff/internal/fieldtags"
)

// TestEveryModelIsEnteredInFull checks each row of the table: its field in Options, its defaults, its sentence, its formula
// in the package comment, and that it learns online and can be restored.
func TestEveryModelIsEnteredInFull(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	rows := table(&o)
	if fields := reflect.TypeFor[Options]().NumField(); fields != len(rows) {
		t.Errorf("Options has %d fields for %d models", fields, len(rows))
	}
	for _, m := range rows {
		t.Run(m.name, func(t *testing.T) {
			field, s := field(&o, m.name), m.settings
			if !field.IsValid() || field.Addr().Interface() != s {
				t.Fatalf("the field of Options with the tag of the model is not that of the row, which is a %T", s)
			}
			if err := fieldtags.Check(s); err != nil {
				t.Errorf("the defaults are not valid: %v", err)
			}
			if about := About(m.name); !strings.HasSuffix(about, ".") || strings.Count(about, ".") != 1 {
				t.Errorf("the sentence about it is %q", about)
			}
			_, kind, err := o.New(m.name, 0)
			if err != nil {
				t.Error(err)
			}
			if f := field.FieldByName("Features"); f.IsValid() && f.String() != kind.String() {
				t.Errorf("the features are %q, the kind is %v", f.String(), kind)
			}
			file := strings.ReplaceAll(m.name, "-", "") + ".go"
			if m.name == "averaged-perceptron" {
				file = "steps.go"
			}
			if !strings.Contains(string(doc), " "+file+"\n") {
				t.Errorf("the formulas in doc.go do not name the file %s", file)
			}
			l, _, err := o.NewOnline(m.name, []string{"ham", "spam"})
			if err != nil {
				t.Fatal(err)
			}
			l.Learn(features.Vector{IDs: []uint32{2}, Values: []float32{1}}, 1)
			again, _, err := o.NewOnline(m.name, []string{"ham", "spam"})
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Restore(l.AppendGlobals(nil), allRows(l)); err != nil {
				t.Error(err)
			}
		})
	}
}

// field returns the settings of the named model by the tag of their field, and the zero Value for an unknown model.
func field(o *Options, name string) reflect.Value {
	v := reflect.ValueOf(o).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("json") == strings.ReplaceAll(name, "-", "_") {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}

func TestSharedSettingsReachEveryModelThatHasThem(t *testing.T) {
	o := DefaultOptions()
	bits := o.WithFeatures(features.Bits)
	for _, m := range table(&o) {
		if f := field(&bits, m.name).FieldByName("Features"); f.IsValid() && f.String() != "bits" {
			t.Errorf("%s: got the features %q, want bits", m.name, f.String())
		}
		trainer, _, err := o.New(m.name, 7)
		if err != nil {
			t.Fatal(err)
		}
		if seed := reflect.ValueOf(trainer).Elem().FieldByName("Seed"); seed.IsValid() && seed.Uint() != 7 {
			t.Errorf("%s: got the seed %d, want 7", m.name, seed.Uint())
		}
	}
}
