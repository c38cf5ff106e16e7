package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// Calibration turns the K scores of a message into probabilities of the classes:
//
//	p_c = exp(z_c) / sum over k of exp(z_k)    with z_c = Slope * s_c + Offsets[c]
//
// For two classes with the scores 0 and z this is Platt's sigmoid:
//
//	p_1 = 1 / (1 + exp(-(Slope*z + Offsets[1])))
//
// The slope is at least 0, so the probability of a class never falls as its score rises. Source: J. Platt: Probabilistic Outputs for Support Vector Machines and
// Comparisons to Regularized Likelihood Methods (Advances in Large Margin Classifiers, 1999).
type Calibration struct {
	// Slope is the factor of the scores, at least 0. With 0, all messages have the same probabilities.
	Slope float64 `json:"slope"`
	// Offsets are added to the scores, one for each class. The first is 0, because only differences matter.
	Offsets []float64 `json:"offsets"`
}

// Identity returns the calibration that takes scores as logarithms of probabilities.
func Identity(classes int) Calibration {
	return Calibration{Slope: 1, Offsets: make([]float64, classes)}
}

// Validate returns everything that is wrong with c for the given number of classes. [Calibrate] returns valid calibrations.
func (c Calibration) Validate(classes int) error {
	var errs []error
	if !(c.Slope >= 0) || math.IsInf(c.Slope, 0) { // also refuses NaN
		errs = append(errs, fmt.Errorf("slope is %v: must be 0 or more and finite", c.Slope))
	}
	if len(c.Offsets) != classes {
		errs = append(errs, fmt.Errorf("%d offsets: must be %d, one for each class", len(c.Offsets), classes))
	}
	for i, offset := range c.Offsets {
		if offset-offset != 0 { // NaN or infinite
			errs = append(errs, fmt.Errorf("offset %d is %v: must be finite", i, offset))
		}
	}
	if len(c.Offsets) > 0 && c.Offsets[0] != 0 {
		errs = append(errs, fmt.Errorf("offset 0 is %v: must be 0", c.Offsets[0]))
	}
	return errors.Join(errs...)
}

// Probabilities returns the probabilities of the K classes for the K scores of one message, in the memory of dst if that suffices; dst may be scores.
func (c Calibration) Probabilities(dst, scores []float64) []float64 {
	mustMatch(len(scores), len(c.Offsets))
	dst = slices.Grow(dst[:0], len(scores))[:len(scores)]
	for i, score := range scores {
		// Clamp overflows: the difference of two infinities would be NaN.
		dst[i] = min(max(c.Slope*score+c.Offsets[i], -math.MaxFloat64), math.MaxFloat64)
	}
	Softmax(dst)
	return dst
}

// Probability returns the probability of class 1 for two classes with the scores 0 and z. z is finite.
func (c Calibration) Probability(z float64) float64 {
	mustMatch(2, len(c.Offsets))
	return 1 / (1 + math.Exp(-(c.Slope*z + c.Offsets[1])))
}

func mustMatch(a, b int) {
	if a != b {
		panic(fmt.Sprintf("metrics: slices of %d and %d messages", a, b))
	}
}

// Softmax replaces each z by exp(z) / sum of exp(z) and returns the logarithm of the sum. It subtracts the greatest z, so that exp does not overflow.
func Softmax(z []float64) (logSum float64) {
	greatest := slices.Max(z)
	sum := 0.
	for i := range z {
		z[i] = math.Exp(z[i] - greatest)
		sum += z[i]
	}
	for i := range z {
		z[i] /= sum
	}
	return greatest + math.Log(sum)
}

// All returns the N x K probabilities for N x K scores, row by row.
func (c Calibration) All(scores []float64) []float64 {
	probabilities := make([]float64, len(scores))
	classes := len(c.Offsets)
	for at := 0; at < len(scores); at += classes {
		c.Probabilities(probabilities[at:at:at+classes], scores[at:at+classes])
	}
	return probabilities
}

// Calibrate returns the calibration with the least log loss on development mail: N labels, and N x K finite scores row by row, for
// K = classes, at least 2. So that few messages do not lead to probabilities of 0 and 1, the loss has Platt's targets instead of 1
// for the true class and 0 for the others:
//
//	(N_c + 1) / (N_c + 2)            for the true class c, which has N_c messages
//	1 / (N_c + 2) / (K - 1)          for each other class
//
// They are Laplace's rule of succession: what N_c messages of a class that were all right say of the next. Source: J. Platt 1999,
// section 2.2, for two classes. With more, the other classes share the rest. The loss is convex. Newton's method with a line search
// minimises it, as H.-T. Lin, C.-J. Lin and R. C. Weng advise (A Note on Platt's Probabilistic Outputs for Support Vector Machines, Machine
// Learning 68, 2007). The order of the messages changes no bit of the result.
//
// As long as nothing shows that a higher score makes a class more likely, the slope is 0 and every message has the same probabilities: the
// shares of the classes, smoothed by the targets. That is so if a class has no messages, or if the best slope is not above 0; the warnings
// say so. The same holds, without a warning, for scores that are the same for every message, such as those of the majority classifier.
func Calibrate(labels []int32, scores []float64, classes int) (Calibration, []string) {
	mustMatch(len(scores), len(labels)*classes)
	counts, present := make([]int, classes), 0
	for _, label := range labels {
		if counts[label]++; counts[label] == 1 {
			present++
		}
	}
	labels, tables := sorted(labels, classes, scores)
	scores = tables[0]
	p := newPlatt(labels, scores, counts)
	start := p.flat()
	if present < classes {
		return p.calibration(start), []string{fmt.Sprintf("probabilities are the same for all messages: the held-out mail has %d of %d classes", present, classes)}
	}
	if p.scale == 0 {
		return p.calibration(start), nil
	}
	// If the convex loss does not fall towards positive slopes from 0, its minimum is at a slope of 0 or below.
	gradient := make([]float64, classes)
	p.Gradient(gradient, start)
	if gradient[0] >= -negligible {
		return p.calibration(start), []string{"probabilities are the same for all messages: " +
			"a higher score does not make a class more likely"}
	}
	result, err := optimize.Minimize(optimize.Problem{Func: p.Loss, Grad: p.Gradient, Hess: p.Hessian},
		start, &optimize.Settings{MajorIterations: 200}, &optimize.Newton{})
	// The line search fails harmlessly where the loss is flat to the last bit, so only the gradient counts.
	p.Gradient(gradient, result.X)
	c := p.calibration(result.X)
	if c.Validate(classes) != nil {
		return Identity(classes), []string{"scores are not calibrated: they are too small"}
	}
	if !(floats.Norm(gradient, math.Inf(1)) <= 1e-6) {
		return c, []string{fmt.Sprintf("probabilities are not optimal: the calibration stopped early: %v", err)}
	}
	return c, nil
}

// negligible is the size, relative to the largest score, up to which a difference between scores can be due to rounding.
const negligible = 1e-12

// platt is the loss that [Calibrate] minimises. Its parameters are a slope and the offsets of all classes except the first, for
// standardised scores, so that the unit of the scores does not matter:
//
//	x_c = (s_c - s_0 - centre_c) / scale
//
// The centre is the mean over the messages, and the scale is the root mean square over messages and classes.
type platt struct {
	labels  []int32
	classes int
	x       []float64 // N x K
	centres []float64 // K; centres and scale are in units of the largest score
	scale   float64   // 0 if the differences between scores are the same for all messages
	largest float64
	targets [][]float64 // K x K: a row for each true class
	row     []float64   // K: logits and then probabilities of one message
}

func newPlatt(labels []int32, scores []float64, counts []int) *platt {
	k := len(counts)
	p := &platt{
		labels: labels, classes: k, x: make([]float64, len(scores)), centres: make([]float64, k), row: make([]float64, k),
	}
	for c, n := range counts {
		targets := slices.Repeat([]float64{1 / (float64(n) + 2) / float64(k-1)}, k)
		targets[c] = (float64(n) + 1) / (float64(n) + 2)
		p.targets = append(p.targets, targets)
	}
	for _, score := range scores {
		p.largest = max(p.largest, math.Abs(score)) // divides all scores first, so that no square overflows
	}
	if p.largest == 0 {
		return p
	}
	n := float64(len(p.labels))
	for i, score := range scores {
		first := scores[i-i%p.classes]
		p.x[i] = score/p.largest - first/p.largest
		p.centres[i%p.classes] += p.x[i] / n
	}
	squares := 0.
	for i := range p.x {
		p.x[i] -= p.centres[i%p.classes]
		squares += p.x[i] * p.x[i]
	}
	if scale := math.Sqrt(squares / float64(len(p.x))); scale > negligible {
		p.scale = scale
		for i := range p.x {
			p.x[i] /= scale
		}
	}
	return p
}

// flat returns the best parameters for a slope of 0, whose probabilities are the means of the targets.
func (p *platt) flat() []float64 {
	means := make([]float64, p.classes)
	for _, label := range p.labels {
		for c, target := range p.targets[label] {
			means[c] += target
		}
	}
	parameters := make([]float64, p.classes)
	for c := 1; c < p.classes && len(p.labels) > 0; c++ {
		parameters[c] = math.Log(means[c] / means[0])
	}
	return parameters
}

// calibration converts the parameters to those of scores that are not standardised.
func (p *platt) calibration(parameters []float64) Calibration {
	c := Calibration{Offsets: make([]float64, p.classes)}
	slope := 0.
	if p.scale > 0 {
		slope = parameters[0] / p.scale
		c.Slope = slope / p.largest
	}
	for k := 1; k < p.classes; k++ {
		c.Offsets[k] = parameters[k] - slope*p.centres[k]
	}
	return c
}

// logits sets the row to z_c = slope * x_c + offset_c of message i, with z_0 = 0, and returns x.
func (p *platt) logits(i int, parameters []float64) (x []float64) {
	x = p.x[i*p.classes:][:p.classes]
	p.row[0] = 0
	for c := 1; c < p.classes; c++ {
		p.row[c] = parameters[0]*x[c] + parameters[c]
	}
	return x
}

// Loss returns the mean over the messages of -(sum over c of t_c ln p_c) = ln(sum of exp z_c) - (sum of t_c z_c).
func (p *platt) Loss(parameters []float64) float64 {
	sum := 0.
	for i, label := range p.labels {
		p.logits(i, parameters)
		for c, z := range p.row {
			sum -= p.targets[label][c] * z
		}
		sum += Softmax(p.row)
	}
	return sum / float64(len(p.labels))
}

// Gradient computes the gradient of the loss. The derivative by z_c is p_c - t_c.
func (p *platt) Gradient(gradient, parameters []float64) {
	clear(gradient)
	n := float64(len(p.labels))
	for i, label := range p.labels {
		x := p.logits(i, parameters)
		Softmax(p.row)
		for c := 1; c < p.classes; c++ {
			d := (p.row[c] - p.targets[label][c]) / n
			gradient[0] += d * x[c]
			gradient[c] += d
		}
	}
}

// Hessian computes the second derivatives of the loss. Those by z_c and z_k are p_c (1 if c = k, else 0) - p_c p_k.
func (p *platt) Hessian(hessian *mat.SymDense, parameters []float64) {
	hessian.Zero()
	n := float64(len(p.labels))
	add := func(i, j int, d float64) { hessian.SetSym(i, j, hessian.At(i, j)+d/n) }
	for i := range p.labels {
		x := p.logits(i, parameters)
		Softmax(p.row)
		mean := 0.
		for c, probability := range p.row {
			mean += probability * x[c]
		}
		add(0, 0, p.row[0]*mean*mean)
		for c := 1; c < p.classes; c++ {
			probability, d := p.row[c], x[c]-mean
			add(0, 0, probability*d*d)
			add(0, c, probability*d)
			add(c, c, probability)
			for k := 1; k <= c; k++ {
				add(k, c, -probability*p.row[k])
			}
		}
	}
}

const (
	// reliabilityBins is the largest number of bins of a reliability table.
	reliabilityBins = 10
	// leastInBin is the least number of messages in a bin, if there are as many: the share of fewer says little.
	leastInBin = 20
)

// ReliabilityBin compares predicted probabilities with outcomes, for the messages whose probability is from Low to High. With perfect
// probabilities, Predicted equals Observed.
type ReliabilityBin struct {
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Messages  int     `json:"messages"`
	Predicted float64 `json:"predicted"` // the mean probability, 0..1
	// Observed is the share of messages for which the prediction came true, 0..1, with the ends of its 95 % interval; see [Wilson].
	Observed     float64 `json:"observed"`
	ObservedLow  float64 `json:"observed_low"`
	ObservedHigh float64 `json:"observed_high"`
}

// Reliability returns the reliability table of N x K probabilities, row by row: at most ten bins in ascending order, with as equal numbers
// of messages as possible, and at least 20 if there are as many. Messages of one probability share a bin. The prediction is class 1 for
// two classes; for more it is the most probable class, and the first of equally probable ones.
//
// Source: A. Niculescu-Mizil, R. Caruana: Predicting Good Probabilities with Supervised Learning (ICML 2005) for two classes; C. Guo, G. Pleiss, Y. Sun,
// K. Q. Weinberger: On Calibration of Modern Neural Networks (ICML 2017) for more. Both have bins of equal width, of which those in the middle hold
// single messages of a good filter.
func Reliability(labels []int32, probabilities []float64, classes int) []ReliabilityBin {
	mustMatch(len(probabilities), len(labels)*classes)
	type outcome struct {
		probability float64
		came        bool // true
	}
	all := make([]outcome, len(labels))
	for i, label := range labels {
		row := probabilities[i*classes:][:classes]
		predicted := 1
		if classes != 2 {
			predicted = slices.Index(row, slices.Max(row))
		}
		all[i] = outcome{row[predicted], int(label) == predicted}
	}
	slices.SortFunc(all, func(a, b outcome) int { return cmp.Compare(a.probability, b.probability) })
	bins := max(1, min(reliabilityBins, len(all)/leastInBin))
	var table []ReliabilityBin
	for from, bin := 0, 0; from < len(all); bin++ {
		to := max(from+1, (bin+1)*len(all)/bins)
		for to < len(all) && all[to].probability == all[to-1].probability {
			to++
		}
		sum, came := 0., 0
		for _, o := range all[from:to] {
			sum += o.probability
			if o.came {
				came++
			}
		}
		n := to - from
		low, high := Wilson(came, n)
		table = append(table, ReliabilityBin{
			Low: all[from].probability, High: all[to-1].probability, Messages: n,
			Predicted: sum / float64(n), Observed: float64(came) / float64(n), ObservedLow: low, ObservedHigh: high,
		})
		from = to
	}
	return table
}

// ExpectedCalibrationError returns the mean over the messages of the difference between Predicted and Observed in their bin; without messages, 0.
//
//	sum over the bins of Messages/N * |Predicted - Observed|
//
// Source: M. P. Naeini, G. F. Cooper, M. Hauskrecht: Obtaining Well Calibrated Probabilities Using Bayesian Binning (AAAI 2015).
func ExpectedCalibrationError(bins []ReliabilityBin) float64 {
	messages, sum := 0, 0.
	for _, bin := range bins {
		messages += bin.Messages
		sum += float64(bin.Messages) * math.Abs(bin.Predicted-bin.Observed)
	}
	if messages == 0 {
		return 0
	}
	return sum / float64(messages)
}
