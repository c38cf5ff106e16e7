package web

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"chaff/filter"
	"chaff/metrics"
	"chaff/store"
)

// point is what a threshold does.
type point struct {
	Name      string
	Threshold float64
	HamLost   int
	HamShare  float64 // in percent
	SpamFound int
	Found     float64 // in percent
	X, Y      float64 // on the curve
	Marked    bool    // it is one of the model
}

// curve is a drawing of the spam found by the ham lost, at all thresholds.
type curve struct {
	Line   string // the points of a polyline
	XTicks []tick
	YTicks []tick
	Alt    string
}

type tick struct {
	At   float64
	Text string
}

// The size of the drawing, and of the rectangle of the curve in it. The template has the same.
const (
	curveLeft, curveRight = 72.0, 620.0
	curveTop, curveBottom = 12.0, 300.0
)

// draw draws the curve of the messages that were judged before they were learned.
func (b *thresholdsBody) draw(judged []store.Entry) {
	scores, spam := make([]float64, len(judged)), make([]bool, len(judged))
	for i, j := range judged {
		scores[i], spam[i] = j.Score, j.Label == filter.SpamClass
		if spam[i] {
			b.Spams++
		} else {
			b.Ham++
		}
	}
	all := metrics.ErrorCurve(scores, spam)
	if all == nil {
		return
	}
	// The axis of ham lost is logarithmic, since only small shares matter. Its left end stands for none.
	decades := math.Ceil(math.Log10(float64(b.Ham))) + 0.5
	x := func(hm float64) float64 {
		if hm == 0 {
			return curveLeft
		}
		return curveRight + math.Log10(hm)/decades*(curveRight-curveLeft)
	}
	y := func(sm float64) float64 { return curveTop + sm*(curveBottom-curveTop) }
	c := &curve{}
	var line strings.Builder
	for i, p := range all {
		if i > 0 { // a step: the share of spam found at a share of ham lost is that of the lowest threshold
			fmt.Fprintf(&line, "%.1f,%.1f ", x(p.HM), y(all[i-1].SM))
		}
		fmt.Fprintf(&line, "%.1f,%.1f ", x(p.HM), y(p.SM))
	}
	c.Line = strings.TrimSpace(line.String())
	c.XTicks = append(c.XTicks, tick{curveLeft, "0"})
	for share := 100.0; share/100 >= math.Pow(10, -decades+0.4); share /= 10 {
		c.XTicks = append(c.XTicks, tick{x(share / 100), strconv.FormatFloat(share, 'g', 3, 64) + "%"})
	}
	for _, found := range []int{0, 25, 50, 75, 100} {
		c.YTicks = append(c.YTicks, tick{y(1 - float64(found)/100), strconv.Itoa(found) + "%"})
	}
	at := func(name string, p metrics.Point, threshold float64, marked bool) {
		lost, found := int(math.Round(p.HM*float64(b.Ham))), int(math.Round((1-p.SM)*float64(b.Spams)))
		b.Points = append(b.Points, point{name, threshold, lost, 100 * p.HM, found, 100 * (1 - p.SM), x(p.HM), y(p.SM), marked})
	}
	at("threshold of spam", metrics.PointAt(all, b.Spam), b.Spam, true)
	at("threshold of unsure", metrics.PointAt(all, b.Unsure), b.Unsure, true)
	for _, limit := range []float64{0, 0.1, 0.5, 1, 5} {
		p := metrics.PointAtHM(all, limit/100)
		if n := len(b.Points); n > 2 && b.Points[n-1].Threshold == p.Threshold {
			continue
		}
		at("at most "+strconv.FormatFloat(limit, 'g', 3, 64)+"% of ham lost", p, p.Threshold, false)
	}
	now := b.Points[0]
	c.Alt = fmt.Sprintf("Spam found by ham lost. At the threshold of spam, %d of %d ham are lost and %d of %d spam are found.",
		now.HamLost, b.Ham, now.SpamFound, b.Spams)
	b.Curve = c
}
