package features

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"chaff/internal/evidence"

	gocmp "github.com/google/go-cmp/cmp"
)

// evidenceBag returns random terms and cells. The group of a term follows from its number.
func evidenceBag(random *rand.Rand, terms, cells int) *Bag {
	b := new(Bag)
	for range terms {
		n := random.IntN(3 * terms)
		text := fmt.Appendf(nil, "term %d", n)
		if b.Add(hashOf(text), evidence.Group(n%int(evidence.Grams)), n%2 == 0) {
			b.Name(text, nil)
		}
	}
	for range 2 * cells { // half of them have a cell
		b.AddGrams(binary.LittleEndian.AppendUint32(nil, random.Uint32()))
	}
	return b
}

// TestEvidenceIsTheSameWhicheverWayItIsMade compares the vector of classification with the row of a matrix.
func TestEvidenceIsTheSameWhicheverWayItIsMade(t *testing.T) {
	t.Run("in memory", func(t *testing.T) { testEvidence(t, 0) })
	t.Run("in a temporary file", func(t *testing.T) { testEvidence(t, 1) })
}

func testEvidence(t *testing.T, memory int64) {
	random := rand.New(rand.NewPCG(1, 0))
	var bags []*Bag
	for i := range 40 {
		bags = append(bags, evidenceBag(random, 1+7*i, 50*i))
	}
	bags = append(bags, new(Bag)) // an empty document
	d, refs := written(t, bags, memory, 1)
	half := len(refs) / 2 // some terms of the others are unknown
	index, _, err := d.Build(refs[:half], DefaultOptions(), 2)
	if err != nil {
		t.Fatal(err)
	}
	matrix := index.Dataset(Evidence, []string{"a", "b"}, refs, make([]int32, len(refs)), 2)
	if want := CellCount + index.Vocabulary.Len(); matrix.Terms != want {
		t.Errorf("the matrix has %d terms, want %d", matrix.Terms, want)
	}
	subset := matrix.Subset([]int{3, half + 1})
	rows, others := matrix.Rows(), subset.Rows()
	ofSome := func(g evidence.Group) bool { return g == evidence.Pairs || g == evidence.Grams }
	some := matrix.RowsOf(ofSome)
	unknown := 0
	for i, b := range bags {
		doc := b.Document()
		want := ascending(new(Lookup).AppendVector(Vector{}, index.Vocabulary, doc, Evidence))
		got := ascending(rows.Row(i))
		if !slices.Equal(got.IDs, want.IDs) || !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Groups, want.Groups) {
			t.Fatalf("document %d, stored row (-want +got):\n%s", i, gocmp.Diff(want, got))
		}
		var part Vector
		for k, g := range want.Groups {
			if ofSome(g) {
				part.IDs, part.Values, part.Groups = append(part.IDs, want.IDs[k]), append(part.Values, want.Values[k]), append(part.Groups, g)
			}
		}
		if got := ascending(some.Row(i)); !slices.Equal(got.IDs, part.IDs) || !slices.Equal(got.Values, part.Values) || !slices.Equal(got.Groups, part.Groups) {
			t.Fatalf("document %d, two groups of its row (-want +got):\n%s", i, gocmp.Diff(part, got))
		}
		unknown += len(doc.Terms) + len(doc.Cells) - len(want.IDs)
		checkEvidence(t, doc, want)
		if diff := differ(doc, d.Document(refs[i])); diff != "" {
			t.Errorf("document %d as it was kept (-want +got):\n%s", i, diff)
		}
	}
	if unknown == 0 {
		t.Error("no document has an unknown term")
	}
	for n, i := range []int{3, half + 1} {
		if diff := gocmp.Diff(rows.Row(i), others.Row(n)); diff != "" {
			t.Errorf("row %d of a subset (-want +got):\n%s", i, diff)
		}
	}
}

// checkEvidence compares the vector of a document with its definition: each group has the length 1, including unknown terms.
func checkEvidence(t *testing.T, doc Document, x Vector) {
	t.Helper()
	sizes := doc.sizes()
	for i, id := range x.IDs {
		g := x.Groups[i]
		if (id < CellCount) != (g == evidence.Grams) {
			t.Fatalf("id %d is of the group %v", id, g)
		}
		if want := float32(1 / math.Sqrt(float64(sizes[g]))); x.Values[i] != want {
			t.Fatalf("a term of %v has the value %v, want %v", g, x.Values[i], want)
		}
	}
}

func TestCellsAreASortedSet(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	var b Bag
	for range 20 {
		n := random.IntN(3000)
		want := make(map[uint32]bool)
		for range n {
			gram := random.Uint32()
			if random.IntN(4) == 0 {
				gram %= 64 // often the same cells
			}
			b.AddGrams(binary.LittleEndian.AppendUint32(nil, gram))
			if cell, has := Cell(gram); has {
				want[cell] = true
			}
		}
		got := b.Document().Cells
		if len(got) != len(want) || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(want) {
			t.Fatalf("%d cells of %d", len(got), len(want))
		}
		for _, cell := range got {
			if !want[cell] {
				t.Fatalf("cell %d was not put in", cell)
			}
		}
		b.Reset()
	}
	if got := b.Document().Cells; len(got) != 0 {
		t.Errorf("an empty set has %d cells", len(got))
	}
}

func TestEverySecondRunHasACell(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	const n = 100_000
	has := 0
	for range n {
		if cell, ok := Cell(random.Uint32()); ok {
			has++
			if cell >= CellCount {
				t.Fatalf("cell %d of %d", cell, CellCount)
			}
		}
	}
	if share := float64(has) / n; share < 0.49 || share > 0.51 {
		t.Errorf("%v of the runs have a cell, want half", share)
	}
}

// ascending returns x with all ids in ascending order.
func ascending(x Vector) Vector {
	if slices.IsSorted(x.IDs) {
		return x
	}
	order := make([]int, len(x.IDs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x.IDs[i], x.IDs[j]) })
	var y Vector
	for _, i := range order {
		y.IDs, y.Values = append(y.IDs, x.IDs[i]), append(y.Values, x.Values[i])
		if x.Groups != nil {
			y.Groups = append(y.Groups, x.Groups[i])
		}
	}
	return y
}
