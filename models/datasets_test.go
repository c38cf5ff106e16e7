package models_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"chaff/features"
)

// dataset returns a data set with one document for each row of values, K classes named "class 0" and so on, and V terms.
// A value of 0 is an absent term. Of the kind features.Whole the rows become terms themselves.
func dataset(kind features.Kind, classes, terms int, labels []int32, rows ...[]float32) *features.Dataset {
	d := &features.Dataset{Kind: kind, Terms: terms}
	for c := range classes {
		d.Classes = append(d.Classes, fmt.Sprintf("class %d", c))
	}
	for i, row := range rows {
		var x features.Vector
		for w, value := range row {
			if value != 0 {
				x.IDs, x.Values = append(x.IDs, uint32(w)), append(x.Values, value)
			}
		}
		d.Append(x, labels[i])
	}
	return withKind(d)
}

// withKind changes bits or counts to the values of the kind of d.
func withKind(d *features.Dataset) *features.Dataset {
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
	w := &features.Dataset{Kind: d.Kind, Classes: d.Classes}
	ids := make(map[string]uint32)
	for i, label := range d.Labels {
		var term features.Vector
		if x := d.Row(i); len(x.IDs) > 0 {
			row := fmt.Sprint(x.IDs, x.Values)
			if _, known := ids[row]; !known {
				ids[row] = uint32(len(ids))
			}
			term = features.Vector{IDs: []uint32{ids[row]}, Values: []float32{1}}
		}
		w.Append(term, label)
	}
	w.Terms = len(ids)
	return w
}

// randomDataset returns a data set of the given size with about perDocument terms in a document, the first terms being the
// frequent ones, as in language. Each class prefers other terms. The classes alternate, so that each has a document if there
// are enough documents. The same seed gives the same data set.
func randomDataset(seed uint64, kind features.Kind, documents, terms, classes, perDocument int) *features.Dataset {
	random := rand.New(rand.NewPCG(seed, 0))
	d := dataset(kind, classes, terms, nil)
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
		var x features.Vector
		for at := 0; at < len(ids); {
			first := at
			for at < len(ids) && ids[at] == ids[first] {
				at++
			}
			value := float32(1)
			if kind == features.Counts || kind == features.NormalisedCounts {
				value = float32(at - first)
			}
			x.IDs, x.Values = append(x.IDs, ids[first]), append(x.Values, value)
		}
		d.Append(x, int32(c))
	}
	return withKind(d)
}

// clone returns a copy of d that shares no memory with it.
func clone(d *features.Dataset) *features.Dataset {
	c := &features.Dataset{Kind: d.Kind, Classes: slices.Clone(d.Classes), Terms: d.Terms}
	for i, label := range d.Labels {
		c.Append(d.Row(i), label)
	}
	return c
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
