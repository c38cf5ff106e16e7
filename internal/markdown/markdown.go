// Package markdown writes the figures in the tables that programs of this project make for its documents.
package markdown

import "fmt"

// Decimals writes a figure with so many decimals; one that is not defined is a dash.
func Decimals(v *float64, digits int) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, *v)
}

// Thousands writes a number of at least 0 with commas.
func Thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Thousands(n/1000), n%1000)
}
