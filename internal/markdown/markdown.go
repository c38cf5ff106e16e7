// Package markdown formats the numbers in the generated tables of the documentation.
package markdown

import "fmt"

// Decimals formats a number with the given digits after the point, and nil as a dash.
func Decimals(v *float64, digits int) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, *v)
}

// Thousands formats a number of at least 0 with commas between the thousands.
func Thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Thousands(n/1000), n%1000)
}
