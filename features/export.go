package features

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// ExportFormat is a text format for labelled sparse vectors that other programs read.
type ExportFormat string

// The formats of data sets. In both, the number of a feature is the id of its term plus 1, in ascending order. The labels of two
// classes are -1 and +1, those of more classes 1 to K.
const (
	// LibSVM is the format of LIBSVM and LIBLINEAR, one document on each line: `+1 3:1 17:0.5`.
	LibSVM ExportFormat = "libsvm"
	// VowpalWabbit is the format of Vowpal Wabbit, one document on each line: `1 | 3:1 17:0.5`.
	VowpalWabbit ExportFormat = "vw"
)

// ParseExportFormat returns the format with the given name.
func ParseExportFormat(name string) (ExportFormat, error) {
	switch f := ExportFormat(name); f {
	case LibSVM, VowpalWabbit:
		return f, nil
	}
	return "", fmt.Errorf("unknown format %q: known are %s and %s", name, LibSVM, VowpalWabbit)
}

// Write writes the documents of d to w, in order.
func (d *Dataset) Write(w io.Writer, format ExportFormat) error {
	out := bufio.NewWriter(w)
	plus, bar := "+1", ""
	if format == VowpalWabbit {
		plus, bar = "1", " |"
	}
	var line []byte
	var cells []uint64 // the id and the value of each term
	rows := d.Rows()
	for i, label := range d.Labels {
		switch {
		case len(d.Classes) != 2:
			line = strconv.AppendInt(line[:0], int64(label)+1, 10)
		case label == 0:
			line = append(line[:0], "-1"...)
		default:
			line = append(line[:0], plus...)
		}
		line, cells = append(line, bar...), cells[:0]
		x := rows.Row(i)
		for k, id := range x.IDs {
			cells = append(cells, uint64(id)<<32|uint64(math.Float32bits(x.Values[k])))
		}
		slices.Sort(cells)
		for _, cell := range cells {
			line = strconv.AppendUint(append(line, ' '), cell>>32+1, 10)
			line = strconv.AppendFloat(append(line, ':'), float64(math.Float32frombits(uint32(cell))), 'g', -1, 32)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return errors.Join(d.Err(), out.Flush())
}
