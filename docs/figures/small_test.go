package main

import (
	"chaff/train"
	"strings"
	"testing"
)

func TestFirstOfBoth(t *testing.T) {
	tests := map[string]struct {
		labels []int
		n      int
		want   []int
	}{
		"both classes are there":          {[]int{0, 1, 0, 1}, 3, []int{0, 1, 0}},
		"the last one makes room":         {[]int{0, 0, 0, 0, 1, 1}, 3, []int{0, 0, 1}},
		"there are fewer":                 {[]int{0, 1}, 5, []int{0, 1}},
		"there is no other class at all":  {[]int{1, 1, 1}, 2, []int{1, 1}},
		"all are taken and of one class":  {[]int{1, 1}, 2, []int{1, 1}},
		"of none nothing can be returned": {nil, 3, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var members []train.Member
			for _, label := range tt.labels {
				members = append(members, train.Member{Label: label})
			}
			first := firstOfBoth(members, tt.n)
			if len(first) != len(tt.want) {
				t.Fatalf("%d members, want %d", len(first), len(tt.want))
			}
			for i, m := range first {
				if m.Label != tt.want[i] || members[i].Label != tt.labels[i] {
					t.Errorf("member %d is of class %d, want %d", i, m.Label, tt.want[i])
				}
			}
		})
	}
}

func TestCurvesRiseWithTheMail(t *testing.T) {
	b, collection := inventedBench(t)
	means, err := b.curves([]*train.Collection{collection}, 2, []string{"majority", "multinomial"})
	if err != nil {
		t.Fatal(err)
	}
	last := means[len(sizes())-1]
	if len(means) != len(sizes()) || *last[1].accuracy < 95 || *last[1].accuracy <= *last[0].accuracy {
		t.Errorf("%d sizes, in the end %.1f%% and %.1f%%", len(means), *last[0].accuracy, *last[1].accuracy)
	}
}

func TestRivalry(t *testing.T) {
	means := [][]mean{
		{{accuracy: pointer(90.001), roca: pointer(2)}, {accuracy: pointer(90), roca: pointer(1)}, {accuracy: pointer(80)}},
		{{accuracy: pointer(95)}, {accuracy: pointer(96)}, {accuracy: pointer(97)}},
	}
	models, columns := []string{"softmax", "lms", "tanh"}, []string{"20", "50"}
	check(t, rivalry(models, columns, means, byAccuracy()), `| model | 20 | 50 |
|---|---|---|
| softmax | **90.00%** | 95.00% |
| lms | **90.00%** | 96.00% |
| tanh | 80.00% | **97.00%** |
`)
	check(t, rivalry(models, columns, means, byROCA()), `| model | 20 | 50 |
|---|---|---|
| softmax | 2.0000 | - |
| lms | **1.0000** | - |
| tanh | - | - |
`)
}

func TestLearningCurvesHaveAColumnForEachSize(t *testing.T) {
	var means [][]mean
	for range sizes() {
		means = append(means, []mean{{accuracy: pointer(99), roca: pointer(0.1)}})
	}
	got := learningCurves{[]string{"softmax"}, means, means}.text()
	if tables := strings.Count(got, "| model | 20 | 50 | 100 | 200 | 500 | 1,000 | 2,000 |\n"); tables != 4 {
		t.Errorf("%d tables, want 4:\n%s", tables, got)
	}
}
