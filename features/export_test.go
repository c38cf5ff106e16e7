package features

import (
	"errors"
	"strings"
	"testing"
)

func TestDataSetsAreWrittenForOtherPrograms(t *testing.T) {
	two, three := &Dataset{Kind: Counts, Classes: []string{"ham", "spam"}, Terms: 7}, &Dataset{Kind: Counts, Classes: []string{"a", "b", "c"}, Terms: 5}
	two.Append(Vector{IDs: []uint32{0, 6}, Values: []float32{1, 0.5}}, 0)
	two.Append(Vector{IDs: []uint32{2}, Values: []float32{3}}, 1)
	two.Append(Vector{}, 1)
	three.Append(Vector{IDs: []uint32{4}, Values: []float32{0.1}}, 2)
	three.Append(Vector{}, 0)
	tests := []struct {
		name   string
		d      *Dataset
		format ExportFormat
		want   string
	}{
		{"two classes as LIBSVM", two, LibSVM, "-1 1:1 7:0.5\n+1 3:3\n+1\n"},
		{"two classes as Vowpal Wabbit", two, VowpalWabbit, "-1 | 1:1 7:0.5\n1 | 3:3\n1 |\n"},
		{"more classes are numbered from 1", three, LibSVM, "3 5:0.1\n1\n"},
		{"as Vowpal Wabbit too", three, VowpalWabbit, "3 | 5:0.1\n1 |\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			if err := test.d.Write(&out, test.format); err != nil || out.String() != test.want {
				t.Errorf("got %q, %v, want %q", out.String(), err, test.want)
			}
		})
	}
	if err := two.Write(fullDisk{}, LibSVM); !errors.Is(err, errFull) {
		t.Errorf("on a full disk: got %v", err)
	}
	if _, err := ParseExportFormat("arff"); err == nil || err.Error() != `unknown format "arff": known are libsvm and vw` {
		t.Errorf("got %v", err)
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }
