// Package indices lists the indices of a slice, for those who sort, choose or renumber them.
package indices

// Below returns 0, 1, ..., n-1.
func Below[T int | int32 | uint32](n int) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = T(i)
	}
	return all
}
