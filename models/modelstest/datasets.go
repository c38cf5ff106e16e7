package modelstest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"chaff/features"
)

// Dataset returns a data set with one document for each row of values, K classes named "class 0" and so on, and V terms.
// A value of 0 is an absent term. Of the kind features.Whole the rows become terms themselves.
func Dataset(kind features.Kind, classes, terms int, labels []int32, rows ...[]float32) *features.Dataset {
	d := features.NewDataset(kind, nil, terms)
	for c := range classes {
		d.Classes = append(d.Classes, fmt.Sprintf("class %d", c))
	}
	for i, row := range rows {
		for w, value := range row {
			if value != 0 {
				d.IDs = append(d.IDs, uint32(w))
				d.Values = append(d.Values, value)
			}
		}
		d.RowStart = append(d.RowStart, len(d.IDs))
		d.Labels = append(d.Labels, labels[i])
	}
	return finished(d)
}

// finished gives the values that the kind of d has, which are bits or counts so far.
func finished(d *features.Dataset) *features.Dataset {
	switch d.Kind {
	case features.Whole:
		return whole(d)
	case features.NormalisedBits, features.NormalisedCounts, features.Evidence:
		for i := range d.Len() {
			var squares float64
			values := d.Row(i).Values
			for _, f := range values {
				squares += float64(f) * float64(f)
			}
			for j := range values {
				values[j] /= float32(math.Sqrt(squares))
			}
		}
	}
	return d
}

// whole returns d with each different row as a term; a row without terms has none.
func whole(d *features.Dataset) *features.Dataset {
	w := features.NewDataset(d.Kind, d.Classes, 0)
	ids := make(map[string]uint32)
	for i, label := range d.Labels {
		if x := d.Row(i); len(x.IDs) > 0 {
			row := fmt.Sprint(x.IDs, x.Values)
			if _, known := ids[row]; !known {
				ids[row] = uint32(len(ids))
			}
			w.IDs, w.Values = append(w.IDs, ids[row]), append(w.Values, 1)
		}
		w.RowStart, w.Labels = append(w.RowStart, len(w.IDs)), append(w.Labels, label)
	}
	w.Terms = len(ids)
	return w
}

// Random returns a data set of the given size with about perDocument terms in a document, the first terms being the
// frequent ones, as in language. The classes prefer different terms and take turns, so each has a document if there are
// at least as many documents as classes. The same seed gives the same data set.
func Random(seed uint64, kind features.Kind, documents, terms, classes, perDocument int) *features.Dataset {
	random := rand.New(rand.NewPCG(seed, 0))
	d := Dataset(kind, classes, terms, nil)
	var ids []uint32
	for i := range documents {
		c := i % classes
		ids = ids[:0]
		for range perDocument {
			x := random.Float64()
			w := uint32(float64(terms) * x * x * x)
			if random.IntN(2) == 0 && terms > classes { // half of the terms lean to one class
				w -= w % uint32(classes)
				w = min(w+uint32(c), uint32(terms-1))
			}
			ids = append(ids, w)
		}
		slices.Sort(ids)
		for at := 0; at < len(ids); {
			first := at
			for at < len(ids) && ids[at] == ids[first] {
				at++
			}
			value := float32(1)
			if kind == features.Counts || kind == features.NormalisedCounts {
				value = float32(at - first)
			}
			d.IDs = append(d.IDs, ids[first])
			d.Values = append(d.Values, value)
		}
		d.RowStart = append(d.RowStart, len(d.IDs))
		d.Labels = append(d.Labels, int32(c))
	}
	return finished(d)
}

// clone returns a copy of d that shares no memory with it.
func clone(d *features.Dataset) *features.Dataset {
	return &features.Dataset{
		Kind: d.Kind, Classes: slices.Clone(d.Classes), Labels: slices.Clone(d.Labels), RowStart: slices.Clone(d.RowStart),
		IDs: slices.Clone(d.IDs), Values: slices.Clone(d.Values), Terms: d.Terms,
	}
}

// reordered returns the documents of d in another order.
func reordered(d *features.Dataset, order []int) *features.Dataset {
	r := features.NewDataset(d.Kind, d.Classes, d.Terms)
	for _, i := range order {
		x := d.Row(i)
		r.IDs = append(r.IDs, x.IDs...)
		r.Values = append(r.Values, x.Values...)
		r.RowStart = append(r.RowStart, len(r.IDs))
		r.Labels = append(r.Labels, d.Labels[i])
	}
	return r
}

// renumbered returns d with class c of d as class to[c].
func renumbered(d *features.Dataset, to []int) *features.Dataset {
	r := clone(d)
	for c, name := range d.Classes {
		r.Classes[to[c]] = name
	}
	for i, c := range d.Labels {
		r.Labels[i] = int32(to[c])
	}
	return r
}
