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
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import sklearn").Run() == nil {
			return python
		}
	}
	t.Skip("needs scikit-learn: install Debian's python3-sklearn")
	return ""
}

// TestNaiveBayesEqualsScikitLearn compares every weight on the training part of the sample.
func TestNaiveBayesEqualsScikitLearn(t *testing.T) {
	python := scikitLearn(t)
	corpora := map[string]corpus.Source{"sample": sample.Source()}
	smoothing := []float64{0.001}
	if spamAssassin, ok := corpustest.SpamAssassin(t); ok { // there is time
		corpora["spamassassin"] = spamAssassin
		smoothing = append(smoothing, 1)
	}
	for name, source := range corpora {
		c := collect(t, source, DefaultCollectOptions(), "ham", "spam")
		for _, a := range smoothing {
			t.Run(fmt.Sprintf("%s/bernoulli smoothing %v", name, a), func(t *testing.T) {
				d := c.Dataset(corpus.Train, features.Bits)
				l, _, err := models.Bernoulli{Smoothing: a}.Train(context.Background(), d, models.EpochOptions{})
				if err != nil {
					t.Fatal(err)
				}
				compareWithScikitLearn(t, python, d, "bernoulli", a, l)
			})
			t.Run(fmt.Sprintf("%s/multinomial smoothing %v", name, a), func(t *testing.T) {
				d := c.Dataset(corpus.Train, features.Counts)
				l, _, err := models.Multinomial{Smoothing: a}.Train(context.Background(), d, models.EpochOptions{})
				if err != nil {
					t.Fatal(err)
				}
				compareWithScikitLearn(t, python, d, "multinomial", a, l)
			})
		}
	}
}

func compareWithScikitLearn(t *testing.T, python string, d *features.Dataset, model string, a float64, linear *models.Linear) {
	t.Helper()
	documents := d
	d = features.NewDataset(d.Kind, d.Classes, d.Terms)
	for i, label := range documents.Labels {
		d.Append(documents.Row(i), label)
	}
	dir := t.TempDir()
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
	script := filepath.Join("testdata", "sklearn_nb.py")
	if out, err := exec.Command(python, script, dir, model, fmt.Sprint(a)).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
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
