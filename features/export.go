package features

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// ExportFormat is a text format of other programs for labelled sparse vectors.
type ExportFormat string

// The formats that data sets can be written in. In both, features are numbered from 1 in ascending order: the number of a
// term is its id plus 1. Of two classes the labels are -1 and +1, of more 1 to K.
const (
	// LibSVM is the format of LIBSVM and LIBLINEAR, a document a line: `+1 3:1 17:0.5`.
	LibSVM ExportFormat = "libsvm"
	// VowpalWabbit is the format of Vowpal Wabbit, a document a line: `1 | 3:1 17:0.5`.
	VowpalWabbit ExportFormat = "vw"
)

// ParseExportFormat returns the format of the given name.
func ParseExportFormat(name string) (ExportFormat, error) {
	switch f := ExportFormat(name); f {
	case LibSVM, VowpalWabbit:
		return f, nil
	}
	return "", fmt.Errorf("unknown format %q: known are %s and %s", name, LibSVM, VowpalWabbit)
}

// Write writes the documents of d to w, in their order.
func (d *Dataset) Write(w io.Writer, format ExportFormat) error {
	out := bufio.NewWriter(w)
	var line []byte
	rows := d.Rows()
	for i, label := range d.Labels {
		line = d.appendLabel(line[:0], label, format)
		x := rows.Row(i)
		for j, id := range x.IDs {
			line = append(line, ' ')
			line = strconv.AppendUint(line, uint64(id)+1, 10)
			line = append(line, ':')
			line = strconv.AppendFloat(line, float64(x.Values[j]), 'g', -1, 32)
		}
		line = append(line, '\n')
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return errors.Join(d.Err(), out.Flush())
}

// appendLabel appends the label, and what stands between it and the features.
func (d *Dataset) appendLabel(line []byte, label int32, format ExportFormat) []byte {
	switch {
	case len(d.Classes) != 2:
		line = strconv.AppendInt(line, int64(label)+1, 10)
	case label == 0:
		line = append(line, "-1"...)
	case format == LibSVM:
		line = append(line, "+1"...)
	default:
		line = append(line, '1')
	}
	if format == VowpalWabbit {
		line = append(line, " |"...)
	}
	return line
}
