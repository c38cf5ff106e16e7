package config

import (
	"fmt"
	"strings"
)

func isKnown(known []setting, key string) bool {
	for _, k := range known {
		if k.key == key {
			return true
		}
	}
	return false
}

// unknown returns the error for an unknown name. It suggests the nearest setting.
func unknown(key string, known []setting, where string) error {
	nearest, least := "", -1
	for _, k := range known {
		name := k.key
		if strings.HasPrefix(key, envPrefix) {
			name = k.variable()
		}
		if d := distance(strings.ToLower(key), strings.ToLower(name)); least < 0 || d < least {
			nearest, least = name, d
		}
	}
	return fmt.Errorf("unknown setting %q %s: the nearest known is %q", key, where, nearest)
}

// distance is the number of characters to insert, delete or replace to turn a into b (Levenshtein). Characters before the last
// part of b cost little, because people often omit the section of a setting.
func distance(a, b string) int {
	d := levenshtein(a, b)
	if i := strings.LastIndexByte(b, '.'); i >= 0 {
		d = min(d, levenshtein(a, b[i+1:])+1)
	}
	return d
}

func levenshtein(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
