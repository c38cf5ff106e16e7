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
	"chaff/corpus/sample"
	"chaff/features"
	"chaff/models"
	"chaff/test/corpustest"
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

// bayes is a naive Bayes model of one kind of features.
type bayes struct {
	kind    features.Kind
	trainer models.Trainer
}

func bayesModels(smoothing float64) map[string]bayes {
	return map[string]bayes{
		"bernoulli":   {features.Bits, models.Bernoulli{Smoothing: smoothing}},
		"multinomial": {features.Counts, models.Multinomial{Smoothing: smoothing}},
	}
}

func (m bayes) fit(t *testing.T, c *Collection) (*features.Dataset, *models.Linear) {
	t.Helper()
	d := c.Dataset(corpus.Train, m.kind)
	l, _, err := m.trainer.Train(context.Background(), d, models.EpochOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d, l
}

// TestNaiveBayesFollowsItsDefinition compares every weight on the training part of the sample with the formula, which the tests of models
// hold to scikit-learn on a small matrix. TestNaiveBayesEqualsScikitLearn does the same with scikit-learn itself, which starts slowly.
func TestNaiveBayesFollowsItsDefinition(t *testing.T) {
	const smoothing = 0.001
	c := collect(t, sample.Source(), DefaultCollectOptions(), "ham", "spam")
	for name, m := range bayesModels(smoothing) {
		t.Run(name, func(t *testing.T) {
			d, linear := m.fit(t, c)
			bias, weights := logOdds(d, smoothing)
			if d.Terms < 1000 {
				t.Errorf("%d terms are too few", d.Terms)
			}
			compareWeights(t, linear, bias, weights)
		})
	}
}

// logOdds returns the log odds of class 1 over class 0: of n_cw documents of N_c that have a term, for Bits, and of n_cw tokens of T_c, for
// Counts.
//
//	p_cw  = (n_cw + a) / (N_c + 2a)     w = log(p_1w / (1-p_1w)) - log(p_0w / (1-p_0w))     b = log(N_1/N_0) + sum_w log((1-p_1w) / (1-p_0w))
//	p_cw  = (n_cw + a) / (T_c + a V)    w = log(p_1w / p_0w)                                b = log(N_1/N_0)
func logOdds(d *features.Dataset, a float64) (bias float64, weights []float64) {
	var documents, tokens [2]float64
	n := [2][]float64{make([]float64, d.Terms), make([]float64, d.Terms)}
	rows := d.Rows()
	for i, c := range d.Labels {
		documents[c]++
		x := rows.Row(i)
		for j, w := range x.IDs {
			n[c][w] += float64(x.Values[j])
			tokens[c] += float64(x.Values[j])
		}
	}
	bias, weights = math.Log(documents[1]/documents[0]), make([]float64, d.Terms)
	for w := range weights {
		for c, sign := range [2]float64{-1, 1} {
			if d.Kind == features.Counts {
				weights[w] += sign * math.Log((n[c][w]+a)/(tokens[c]+a*float64(d.Terms)))
				continue
			}
			p := (n[c][w] + a) / (documents[c] + 2*a)
			weights[w] += sign * math.Log(p/(1-p))
			bias += sign * math.Log(1-p)
		}
	}
	return bias, weights
}

// TestNaiveBayesEqualsScikitLearn compares every weight on the training part of the sample and of the SpamAssassin corpus.
func TestNaiveBayesEqualsScikitLearn(t *testing.T) {
	spamAssassin, ok := corpustest.SpamAssassin(t)
	if !ok {
		t.Skip("needs corpora, since scikit-learn starts slowly; TestNaiveBayesFollowsItsDefinition has the formula")
	}
	python := scikitLearn(t)
	t.Setenv("OPENBLAS_NUM_THREADS", "1")          // more take longer to start than to do this
	t.Setenv("SETUPTOOLS_USE_DISTUTILS", "stdlib") // which is imported sooner
	corpora := map[string]corpus.Source{"sample": sample.Source(), "spamassassin": spamAssassin}
	args := []string{filepath.Join("testdata", "sklearn_nb.py")} // one process for all: it starts slowly
	type fitted struct {
		name, dir string
		linear    *models.Linear
	}
	var all []fitted
	for name, source := range corpora {
		c := collect(t, source, DefaultCollectOptions(), "ham", "spam")
		for _, a := range []float64{0.001, 1} {
			for model, m := range bayesModels(a) {
				d, l := m.fit(t, c)
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
	starts, ids, values := []uint64{0}, []uint32(nil), []float64(nil)
	for i := range d.Len() {
		x := d.Row(i)
		for _, v := range x.Values {
			values = append(values, float64(v))
		}
		ids = append(ids, x.IDs...)
		starts = append(starts, uint64(len(ids)))
	}
	write("labels", littleEndian(t, labels))
	write("start", littleEndian(t, starts))
	write("ids", littleEndian(t, ids))
	write("values", littleEndian(t, values))
	write("terms", fmt.Append(nil, d.Terms))
	return dir
}

// compareWithScikitLearn compares a model with the numbers that the script wrote into a folder.
func compareWithScikitLearn(t *testing.T, dir string, linear *models.Linear) {
	t.Helper()
	read := func(name string) []float64 {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		numbers := make([]float64, len(data)/8)
		if _, err := binary.Decode(data, binary.LittleEndian, numbers); err != nil || len(numbers) == 0 {
			t.Fatalf("%s: %d numbers, error %v", name, len(numbers), err)
		}
		return numbers
	}
	compareWeights(t, linear, read("bias")[0], read("weights"))
}

// compareWeights compares a model with log odds in float64.
func compareWeights(t *testing.T, linear *models.Linear, bias float64, weights []float64) {
	t.Helper()
	if len(linear.Bias) != 1 || len(linear.Weights) != len(weights) || len(weights) == 0 {
		t.Fatalf("got %d biases and %d weights, want 1 and %d", len(linear.Bias), len(linear.Weights), len(weights))
	}
	if d := math.Abs(linear.Bias[0] - bias); !(d <= 1e-6) { // a sum over all terms
		t.Errorf("the bias differs by %g", d)
	}
	differ := 0
	for w, want := range weights {
		if !(math.Abs(float64(linear.Weights[w])-want) <= 2e-6) { // float32 of numbers up to 30
			differ++
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d weights differ", differ, len(weights))
	}
}

func littleEndian(t *testing.T, numbers any) []byte {
	t.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
