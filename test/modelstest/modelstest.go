// Package modelstest runs tests of other packages for every model, and changes the settings of all models.
package modelstest

import (
	"reflect"
	"testing"

	"chaff/models"
)

// EachModel runs a test for every model.
func EachModel(t *testing.T, test func(t *testing.T, model string)) {
	t.Helper()
	names := models.Names()
	if len(names) < 12 {
		t.Fatalf("only the models %v", names)
	}
	for _, model := range names {
		t.Run(model, func(t *testing.T) { test(t, model) })
	}
}

// EachPasses calls change with the passes of every model that has them.
func EachPasses(o *models.Options, change func(p *models.Passes)) {
	settings := reflect.ValueOf(o).Elem()
	for i := range settings.NumField() {
		if p := settings.Field(i).FieldByName("Passes"); p.IsValid() {
			change(p.Addr().Interface().(*models.Passes))
		}
	}
}
