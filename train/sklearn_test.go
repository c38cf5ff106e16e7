package train

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"chaff/corpus"
	"chaff/corpus/corpustest"
	"chaff/corpus/sample"
	"chaff/features"
	"chaff/models"
)

// scikitLearn returns a Python that has scikit-learn, or skips the test.
func scikitLearn(t *testing.T) string {
	t.Helper()
	const look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('sklearn') is None)" // an import takes long
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", look).Run() == nil {
			return python
		}
	}
	t.Skip("needs scikit-learn: install Debian's python3-sklearn")
	return ""
}

// TestNaiveBayesEqualsScikitLearn compares every weight on the training part of the sample.
func TestNaiveBayesEqualsScikitLearn(t *testing.T) {
	python := scikitLearn(t)
	t.Setenv("OPENBLAS_NUM_THREADS", "1")          // more take longer to start than to do this
	t.Setenv("SETUPTOOLS_USE_DISTUTILS", "stdlib") // which is imported sooner
	corpora := map[string]corpus.Source{"sample": sample.Source()}
	smoothing := []float64{0.001}
	if spamAssassin, ok := corpustest.SpamAssassin(t); ok { // there is time
		corpora["spamassassin"] = spamAssassin
		smoothing = append(smoothing, 1)
	}
	args := []string{filepath.Join("testdata", "sklearn_nb.py")} // one process for all: it starts slowly
	type fitted struct {
		name, dir string
		linear    *models.Linear
	}
	var all []fitted
	for name, source := range corpora {
		c := collect(t, source, DefaultCollectOptions(), "ham", "spam")
		for _, a := range smoothing {
			for model, m := range map[string]struct {
				kind    features.Kind
				trainer models.Trainer
			}{
				"bernoulli":   {features.Bits, models.Bernoulli{Smoothing: a}},
				"multinomial": {features.Counts, models.Multinomial{Smoothing: a}},
			} {
				d := c.Dataset(corpus.Train, m.kind)
				l, _, err := m.trainer.Train(context.Background(), d, models.EpochOptions{})
				if err != nil {
					t.Fatal(err)
				}
				dir := exportMatrix(t, d)
				all = append(all, fitted{fmt.Sprintf("%s/%s smoothing %v", name, model, a), dir, l})
				args = append(args, dir, model, fmt.Sprint(a))
			}
		}
	}
	if out, err := exec.Command(python, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, f := range all {
		t.Run(f.name, func(t *testing.T) { compareWithScikitLearn(t, f.dir, f.linear) })
	}
}

// exportMatrix writes a dataset for the script, and returns its folder.
func exportMatrix(t *testing.T, d *features.Dataset) (dir string) {
	t.Helper()
	documents := d
	d = features.NewDataset(d.Kind, d.Classes, d.Terms)
	for i, label := range documents.Labels {
		d.Append(documents.Row(i), label)
	}
	dir = t.TempDir()
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	labels := make([]uint32, d.Len())
	for i, c := range d.Labels {
		labels[i] = uint32(c)
	}
	starts := make([]uint64, len(d.RowStart))
	for i, s := range d.RowStart {
		starts[i] = uint64(s)
	}
	values := make([]float64, len(d.Values))
	for i, v := range d.Values {
		values[i] = float64(v)
	}
	write("labels", littleEndian(t, labels))
	write("start", littleEndian(t, starts))
	write("ids", littleEndian(t, d.IDs))
	write("values", littleEndian(t, values))
	write("terms", fmt.Append(nil, d.Terms))
	return dir
}

// compareWithScikitLearn compares a model with the numbers that the script wrote into a folder.
func compareWithScikitLearn(t *testing.T, dir string, linear *models.Linear) {
	t.Helper()
	compare := func(name string, got []float64, tolerance float64) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, len(data)/8)
		_, err = binary.Decode(data, binary.LittleEndian, want)
		if err != nil || len(want) != len(got) || len(want) == 0 {
			t.Fatalf("%s: %d numbers of scikit-learn, %d of ours, error %v", name, len(want), len(got), err)
		}
		worst := 0.0
		for i := range want {
			worst = max(worst, math.Abs(want[i]-got[i]))
		}
		if !(worst <= tolerance) {
			t.Errorf("%s: log odds differ by up to %g", name, worst)
		}
	}
	compare("bias", linear.Bias, 1e-6) // a sum over all terms
	weights := make([]float64, len(linear.Weights))
	for w, weight := range linear.Weights {
		weights[w] = float64(weight)
	}
	compare("weights", weights, 2e-6) // float32 of numbers up to 30
}

func littleEndian(t *testing.T, numbers any) []byte {
	t.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
