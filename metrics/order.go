package metrics

import (
	"cmp"
	"slices"
)

// sorted returns copies of N labels and of tables of N x K numbers, sorted by label and then by the rows of the tables. The last bits of
// a floating-point sum depend on the order, and sorting makes them independent of the order of the messages.
func sorted(labels []int32, classes int, tables ...[]float64) (sortedLabels []int32, sortedTables [][]float64) {
	order := make([]int, len(labels))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		by := cmp.Compare(labels[i], labels[j])
		for _, t := range tables {
			if by == 0 {
				by = slices.Compare(t[i*classes:][:classes], t[j*classes:][:classes])
			}
		}
		return by
	})
	sortedLabels, sortedTables = make([]int32, len(labels)), make([][]float64, len(tables))
	for n, t := range tables {
		sortedTables[n] = make([]float64, 0, len(t))
		for _, i := range order {
			sortedTables[n] = append(sortedTables[n], t[i*classes:][:classes]...)
		}
	}
	for n, i := range order {
		sortedLabels[n] = labels[i]
	}
	return sortedLabels, sortedTables
}
