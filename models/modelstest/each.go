package modelstest

import (
	"testing"

	"chaff/models"
)

// EachModel runs a test for every model.
func EachModel(t *testing.T, test func(t *testing.T, model string)) {
	t.Helper()
	names := models.Names()
	if len(names) < 13 {
		t.Fatalf("only the models %v", names)
	}
	for _, model := range names {
		t.Run(model, func(t *testing.T) { test(t, model) })
	}
}
