package report

import (
	"math"
	"slices"
	"strconv"
)

// scale is how the values of an axis are spread along it.
type scale int

const (
	linear scale = iota
	logarithmic
	// deviate spreads percentages by the normal deviate, on which the errors of two normal distributions make a straight
	// line. Source: A. Martin and others: The DET Curve in Assessment of Detection Task Performance (Eurospeech 1997).
	deviate
)

// axis is a range of values, which has been made fit for its scale.
type axis struct {
	label    string // with the unit
	scale    scale
	min, max float64
	ticks    []tick
}

type tick struct {
	value float64
	label string // empty for a small tick
}

// newAxis returns an axis that spans the finite values, from tick to tick. Without values it spans 0 to 1, and around a
// single one a range is made.
func newAxis(label string, values []float64) axis { return newSteppedAxis(label, values, 0) }

// newCountAxis is an axis with ticks at whole numbers.
func newCountAxis(label string, values []float64) axis { return newSteppedAxis(label, values, 1) }

// tight returns the axis cut down to what the values span.
func (a axis) tight(values []float64) axis {
	min, max := span(values)
	if min >= max {
		return a
	}
	a.min, a.max = min, max
	a.ticks = slices.DeleteFunc(slices.Clone(a.ticks), func(t tick) bool { return t.value < min || t.value > max })
	return a
}

// newSteppedAxis is newAxis with ticks that are at least leastStep apart.
func newSteppedAxis(label string, values []float64, leastStep float64) axis {
	min, max := span(values)
	if max-min <= 1e-9*math.Max(math.Abs(min), math.Abs(max)) || max-min < 1e-100 {
		room := math.Abs(max) / 10
		if room < 1e-100 {
			room = 1
		}
		min, max = min-room, max+room
	}
	step := math.Max(niceStep((max-min)/5), leastStep)
	a := axis{label: label, min: math.Floor(min/step+1e-9) * step, max: math.Ceil(max/step-1e-9) * step}
	for i := range int(math.Min(math.Round((a.max-a.min)/step), 20)) + 1 {
		v := a.min + float64(i)*step
		a.ticks = append(a.ticks, tick{v, tickLabel(v, step)})
	}
	return a
}

// newPercentAxis is an axis of percentages, which stays within 0 to 100.
func newPercentAxis(label string, values []float64) axis {
	a := newAxis(label, values)
	return a.tight([]float64{math.Max(a.min, 0), math.Min(a.max, 100)})
}

// newLogAxis returns a logarithmic axis from the decade of the least positive value, but at least floor, to that of the
// greatest. Without positive values it is the decade from floor.
func newLogAxis(label string, values []float64, floor float64) axis {
	positive := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !(v > 0) })
	if len(positive) == 0 {
		positive = []float64{floor}
	}
	min, max := span(positive)
	low := math.Floor(math.Log10(math.Max(min, floor)))
	high := math.Max(math.Ceil(math.Log10(max)), low+1)
	a := axis{label: label, scale: logarithmic, min: math.Pow(10, low), max: math.Pow(10, high)}
	every := math.Max(1, math.Ceil((high-low)/6)) // decades from label to label
	for d := 0.0; d <= math.Min(high-low, 300); d++ {
		v := math.Pow(10, low+d)
		t := tick{value: v}
		if math.Mod(d, every) == 0 {
			t.label = strconv.FormatFloat(v, 'g', 3, 64)
			if v >= 1 && v < 1e6 {
				t.label = strconv.FormatFloat(v, 'f', 0, 64)
			}
		}
		a.ticks = append(a.ticks, t)
		if every > 1 || d == high-low {
			continue
		}
		for m := 2.0; m < 10; m++ {
			t := tick{value: m * v}
			if high-low < 2 && (m == 2 || m == 5) {
				t.label = strconv.FormatFloat(m*v, 'g', 3, 64)
			}
			a.ticks = append(a.ticks, t)
		}
	}
	return a
}

// newDeviateAxis returns an axis of percentages from below the least that is above 0, but at least floor, to above the
// greatest that is below 100.
func newDeviateAxis(label string, values []float64, floor float64) axis {
	a := axis{label: label, scale: deviate}
	marks := []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 99, 99.5, 99.9}
	inner := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !(v > 0 && v < 100) })
	if len(inner) == 0 {
		inner = []float64{0.1, 40}
	}
	min, max := span(inner)
	min = math.Max(min, floor)
	first, last := 0, len(marks)-1
	for first+3 < len(marks) && marks[first+1] <= min {
		first++
	}
	for last > first+3 && marks[last-1] >= max {
		last--
	}
	a.min, a.max = marks[first], marks[last]
	for _, v := range marks[first : last+1] {
		a.ticks = append(a.ticks, tick{v, strconv.FormatFloat(v, 'g', -1, 64)})
	}
	return a
}

// at returns where a value lies on the axis, from 0 to 1. What lies beyond an end is at the end.
func (a axis) at(v float64) float64 {
	low, high := a.spread(a.min), a.spread(a.max)
	x := (a.spread(v) - low) / (high - low)
	if math.IsNaN(x) {
		return 0
	}
	return math.Min(math.Max(x, 0), 1)
}

// spread is the value on a scale where equal distances look equal.
func (a axis) spread(v float64) float64 {
	switch a.scale {
	case logarithmic:
		return math.Log10(math.Max(v, math.SmallestNonzeroFloat64))
	case deviate:
		return math.Erfinv(math.Min(math.Max(v/50-1, -1+1e-12), 1-1e-12))
	}
	return v
}

// span returns the least and the greatest of the finite values; 0 and 1 without any.
func span(values []float64) (min, max float64) {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !finite(v) })
	if len(values) == 0 {
		return 0, 1
	}
	return slices.Min(values), slices.Max(values)
}

// niceStep returns the least of 1, 2, 5, 10 and so on, times a power of ten, that is at least step, which is positive.
func niceStep(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= step*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// tickLabel writes a value with the decimals that tell it from the next, which is a step away.
func tickLabel(v, step float64) string {
	decimals := int(math.Max(0, -math.Floor(math.Log10(step)+1e-9)))
	if math.Abs(v) >= 1e6 || decimals > 5 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	if math.Abs(v) < step/2 {
		v = 0
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
