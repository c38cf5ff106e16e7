// Package markdown formats the generated tables of the documentation.
package markdown

import (
	"fmt"
	"strings"
)

// Decimals formats a number with the given digits after the point, and nil as a dash.
func Decimals(v *float64, digits int) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, *v)
}

// Table returns a table. The cells of the header and of each row are separated by " | ".
func Table(header string, rows []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n|%s\n", header, strings.Repeat("---|", strings.Count(header, " | ")+1))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", row)
	}
	return b.String()
}
