package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// curveFixture is testdata/sklearn_curves.json.
type curveFixture struct {
	Curves []struct {
		Scores []float64 `json:"scores"`
		Spam   []bool    `json:"spam"`
		FPR    []float64 `json:"fpr"`
		TPR    []float64 `json:"tpr"`
		DETFPR []float64 `json:"det_fpr"`
		DETFNR []float64 `json:"det_fnr"`
	} `json:"curves"`
	// Bounds are of count, n, confidence, and the bound.
	Bounds [][4]float64 `json:"bounds"`
}

func TestErrorCurve(t *testing.T) {
	tests := []struct {
		name      string
		ham, spam []float64
		want      []Point
	}{
		{"one of each in order", []float64{1}, []float64{2}, []Point{{below(1), 1, 0}, {1, 0, 0}, {2, 0, 1}}},
		{"one of each the wrong way round", []float64{2}, []float64{1}, []Point{{below(1), 1, 0}, {1, 1, 1}, {2, 0, 1}}},
		// Above 1 are the ham 3, 3 and the spam 3, 5; above 3 is the spam 5.
		{"what has the same score changes sides together", []float64{1, 1, 3, 3}, []float64{3, 5},
			[]Point{{below(1), 1, 0}, {1, 2. / 4, 0}, {3, 0, 1. / 2}, {5, 0, 1}}},
		{"no ham", nil, []float64{1}, nil},
		{"no spam", []float64{1}, nil, nil},
		{"nothing", nil, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := NewMargins(join(test.ham, test.spam)).ErrorCurve(); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestErrorCurveCountsWhatIsAboveTheThreshold(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 100 {
		scores, spam := randomScores(random, 2+random.IntN(60))
		points := NewMargins(scores, spam).ErrorCurve()
		last := math.Inf(-1)
		for _, p := range points {
			above := make([]bool, len(scores))
			for i, score := range scores {
				above[i] = score > p.Threshold
			}
			f := Measure(classesOf(spam), classesOf(above), 2)
			f.MeasureSpam(NewMargins(scores, spam))
			hm, sm := *f.HM, *f.SM
			if !near(100*p.HM, hm) || !near(100*p.SM, sm) || p.Threshold <= last {
				t.Fatalf("got %v after threshold %v, want hm%% %v, sm%% %v", p, last, hm, sm)
			}
			last = p.Threshold
		}
		if want := len(NewMargins(scores, spam).tallies()) + 1; points != nil && len(points) != want {
			t.Fatalf("got %d points, want %d", len(points), want)
		}
	}
}

func TestPointsOfAnErrorCurve(t *testing.T) {
	curve := Margins{Ham: []float64{-2, 1}, Spam: []float64{-1, 3}}.ErrorCurve()
	for _, test := range []struct {
		name string
		got  Point
		want Point
	}{
		{"a threshold between two scores", PointAt(curve, 0), Point{-1, 0.5, 0.5}},
		{"a threshold that is a score", PointAt(curve, -1), Point{-1, 0.5, 0.5}},
		{"a threshold below all scores", PointAt(curve, -9), Point{math.Nextafter(-2, -3), 1, 0}},
		{"a threshold above all scores", PointAt(curve, 9), Point{3, 0, 1}},
		{"the least spam missed without losing ham", PointAtHM(curve, 0), Point{1, 0, 0.5}},
		{"the least spam missed while losing half of the ham", PointAtHM(curve, 0.5), Point{-2, 0.5, 0}},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, test.got, test.want)
		}
	}
}

func TestAreaUnderTheErrorCurveIsThatOfOneMinusROCA(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	defined := 0
	for range 300 {
		scores, spam := randomScores(random, 1+random.IntN(80))
		want, ok := valueOf(NewMargins(scores, spam).oneMinusROCA())
		points := NewMargins(scores, spam).ErrorCurve()
		if ok != (points != nil) {
			t.Fatalf("area defined: %v; points: %v", ok, points)
		}
		if !ok {
			continue
		}
		defined++
		for _, p := range [][]Point{points, Thin(points, len(points))} {
			if got := 100 * areaOver(p); math.Abs(got-want) > 1e-9 {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	}
	if defined == 0 {
		t.Fatal("no curve was drawn")
	}
}

// areaOver returns the area over the ROC curve through points, by trapezoids.
func areaOver(points []Point) float64 {
	area := 0.
	for i := 1; i < len(points); i++ {
		area += (points[i-1].HM - points[i].HM) * (points[i-1].SM + points[i].SM) / 2
	}
	return area
}

func TestErrorCurveAgreesWithScikitLearn(t *testing.T) {
	for n, want := range readFixture[curveFixture](t, "sklearn_curves.json").Curves {
		got := NewMargins(want.Scores, want.Spam).ErrorCurve()
		if len(got) != len(want.FPR) {
			t.Fatalf("curve %d: got %d points, want %d", n, len(got), len(want.FPR))
		}
		slices.Reverse(got) // scikit-learn's thresholds of the ROC curve descend
		for i, p := range got {
			if !near(p.HM, want.FPR[i]) || !near(1-p.SM, want.TPR[i]) {
				t.Errorf("curve %d, point %d: got %v, want %v, %v", n, i, p, want.FPR[i], want.TPR[i])
			}
		}
		// A DET curve begins with the last point without a missed spam, and ends with the first without a lost ham.
		slices.Reverse(got)
		for len(got) > 1 && got[1].SM == 0 {
			got = got[1:]
		}
		for len(got) > 1 && got[len(got)-2].HM == 0 {
			got = got[:len(got)-1]
		}
		if len(got) != len(want.DETFPR) {
			t.Fatalf("DET curve %d: got %d points, want %d", n, len(got), len(want.DETFPR))
		}
		for i, p := range got {
			if !near(p.HM, want.DETFPR[i]) || !near(p.SM, want.DETFNR[i]) {
				t.Errorf("DET curve %d, point %d: got %v, want %v, %v", n, i, p, want.DETFPR[i], want.DETFNR[i])
			}
		}
	}
}

func TestThin(t *testing.T) {
	tests := []struct {
		name   string
		points []Point
		n      int
		want   []Point
	}{
		{"nothing", nil, 5, nil},
		{"what is straight needs only its ends", []Point{{0, 1, 0}, {1, 0.5, 0}, {2, 0, 0}, {3, 0, 0.5}, {4, 0, 1}}, 5,
			[]Point{{0, 1, 0}, {2, 0, 0}, {4, 0, 1}}},
		{"a slope is kept", []Point{{0, 1, 0}, {1, 0.5, 0.5}, {2, 0, 1}}, 5, []Point{{0, 1, 0}, {1, 0.5, 0.5}, {2, 0, 1}}},
		{"the ends are kept though one is asked for", []Point{{0, 1, 0}, {1, 0.5, 0.5}, {2, 0, 1}}, 1, []Point{{0, 1, 0}, {2, 0, 1}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Thin(test.points, test.n); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestThinKeepsTheShape(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	scores, spam := make([]float64, 20_000), make([]bool, 20_000)
	for i := range scores {
		spam[i] = random.IntN(2) == 0
		scores[i] = random.NormFloat64() - 2
		if spam[i] {
			scores[i] += 4
		}
	}
	all := NewMargins(scores, spam).ErrorCurve()
	for _, n := range []int{2, 3, 10, 100, 500} {
		thin := Thin(all, n)
		if len(thin) > n+1 || thin[0] != all[0] || thin[len(thin)-1] != all[len(all)-1] {
			t.Fatalf("%d points, from %v to %v", len(thin), thin[0], thin[len(thin)-1])
		}
	}
	if want := areaOver(all); math.Abs(areaOver(Thin(all, 300))-want) > 0.001 {
		t.Errorf("the area is %v of 300 points, %v of all", areaOver(Thin(all, 300)), want)
	}
}

func BenchmarkErrorCurve(b *testing.B) {
	scores, spam := benchmarkScores()
	b.ReportAllocs()
	b.SetBytes(int64(9 * len(scores)))
	for b.Loop() {
		Thin(NewMargins(scores, spam).ErrorCurve(), 500)
	}
}

func valueOf(x *float64) (value float64, defined bool) {
	if x == nil {
		return 0, false
	}
	return *x, true
}

func TestOneMinusROCA(t *testing.T) {
	tests := []struct {
		name      string
		ham, spam []float64
		want      float64 // -1 is not defined
	}{
		{"spam above ham is perfect", []float64{-2, -1}, []float64{0, 3, 4}, 0},
		{"ham above spam is as bad as can be", []float64{5, 6}, []float64{0, 3}, 100},
		{"all the same is chance", []float64{1, 1, 1}, []float64{1, 1}, 50},
		// Pairs (ham, spam): (1,2) right, (1,4) right, (3,2) wrong, (3,4) right: 1 of 4.
		{"one pair of four is wrong", []float64{1, 3}, []float64{4, 2}, 25},
		// (1,1) tie, (1,2) right, (2,1) wrong, (2,2) tie, (0,1) right, (0,2) right: 2 of 6.
		{"a tie is half a pair", []float64{1, 2, 0}, []float64{1, 2}, 100. / 3},
		{"zero and minus zero are a tie", []float64{0}, []float64{math.Copysign(0, -1)}, 50},
		{"no ham", nil, []float64{1, 2}, -1},
		{"no spam", []float64{1, 2}, nil, -1},
		{"nothing", nil, nil, -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scores, spam := join(test.ham, test.spam)
			got, defined := valueOf(NewMargins(scores, spam).oneMinusROCA())
			if defined != (test.want >= 0) || defined && !near(got, test.want) {
				t.Errorf("got %v, %v, want %v", got, defined, test.want)
			}
		})
	}
}

// join returns the scores of ham and spam in one list, and which of them are spam.
func join(hams, spams []float64) (scores []float64, spam []bool) {
	for _, score := range hams {
		scores, spam = append(scores, score), append(spam, false)
	}
	for _, score := range spams {
		scores, spam = append(scores, score), append(spam, true)
	}
	return scores, spam
}

// randomScores returns scores with many ties.
func randomScores(random *rand.Rand, n int) (scores []float64, spam []bool) {
	for range n {
		is := random.IntN(3) == 0
		score := math.Round(3 * random.NormFloat64())
		if is {
			score += 2
		}
		scores, spam = append(scores, score), append(spam, is)
	}
	return scores, spam
}

func TestOneMinusROCAIsTheShareOfPairsInTheWrongOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 200 {
		scores, spam := randomScores(random, 1+random.IntN(60))
		var wrong, pairs float64
		for i, ham := range scores {
			for j, other := range scores {
				if spam[i] || !spam[j] {
					continue
				}
				pairs++
				if ham > other {
					wrong++
				} else if ham == other {
					wrong += 0.5
				}
			}
		}
		got, defined := valueOf(NewMargins(scores, spam).oneMinusROCA())
		if defined != (pairs > 0) {
			t.Fatalf("got defined %v with %v pairs", defined, pairs)
		}
		if defined && !near(got, 100*wrong/pairs) {
			t.Fatalf("got %v, want %v", got, 100*wrong/pairs)
		}
	}
}

func TestOneMinusROCAAgreesWithScikitLearn(t *testing.T) {
	fixture := readFixture[struct {
		Scores []float64 `json:"scores"`
		Spam   []bool    `json:"spam"`
		Area   float64   `json:"roc_auc_score"`
	}](t, "sklearn_roc.json")
	got, defined := valueOf(NewMargins(fixture.Scores, fixture.Spam).oneMinusROCA())
	if want := 100 * (1 - fixture.Area); !defined || math.Abs(got-want) > 1e-9 {
		t.Errorf("got %v, %v, want %v", got, defined, want)
	}
}

// benchmarkScores returns many scores, nearly all of them different.
func benchmarkScores() (scores []float64, spam []bool) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 100_000 {
		scores, spam = append(scores, random.NormFloat64()), append(spam, random.IntN(2) == 0)
	}
	return scores, spam
}

func BenchmarkOneMinusROCA(b *testing.B) {
	scores, spam := benchmarkScores()
	b.ReportAllocs()
	b.SetBytes(int64(9 * len(scores)))
	for b.Loop() {
		NewMargins(scores, spam).oneMinusROCA()
	}
}

func classesOf(spam []bool) []int32 {
	classes := make([]int32, len(spam))
	for i, is := range spam {
		if is {
			classes[i] = 1
		}
	}
	return classes
}
