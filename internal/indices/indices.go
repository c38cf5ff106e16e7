// Package indices makes lists of indices, to be sorted or chosen from.
package indices

// Below returns 0, 1, ..., n-1.
func Below[T int | int32 | uint32](n int) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = T(i)
	}
	return all
}
