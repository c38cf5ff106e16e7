package filter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"chaff/corpus/corpustest"
	"chaff/features"
	"chaff/internal/littleendian"
	"chaff/models"
)

// inParts returns the filter in a model file of which parts are read.
func inParts(t testing.TB, data []byte) *Filter {
	t.Helper()
	f, err := decodePart(unchanging{bytes.NewReader(data)}, int64(len(data)))
	noError(t, err)
	return f
}

func TestAModelThatIsReadInPartsJudgesAsTheWholeOne(t *testing.T) {
	for _, classes := range [][]string{{"ham", "spam"}, {"golf", "ham", "spam"}} {
		mail := collect(t, corpustest.Mailbox(3, 30, classes...), classes...)
		for _, model := range models.Names() {
			t.Run(fmt.Sprint(model, " ", len(classes)), func(t *testing.T) {
				whole := mail.fit(t, model)
				data := encode(t, whole)
				for messages := range 2 { // one message a process, and many
					f := inParts(t, data)
					for i, raw := range append(letters(3*fewMessages), "", "\nnothing of this is known") {
						if messages == 0 {
							f = inParts(t, data)
						}
						want := whole.Classify([]byte(raw))
						if got := f.Classify([]byte(raw)); got != want || f.Err() != nil {
							t.Fatalf("message %d: got %+v, %v, want %+v", i, got, f.Err(), want)
						}
						explained, err := whole.Explain([]byte(raw))
						noError(t, err)
						if got, err := f.Explain([]byte(raw)); err != nil || got.Margin != explained.Margin || len(got.Contributions) != len(explained.Contributions) {
							t.Fatalf("message %d explained: got %+v, %v, want %+v", i, got, err, explained)
						}
					}
					if messages == 1 && f.FirstTerm() > 0 && f.part.allCells == nil {
						t.Error("the cells were read for each message")
					}
				}
			})
		}
	}
}

func TestAModelThatIsReadInPartsIsSavedAsTheWholeOne(t *testing.T) {
	for _, model := range []string{"votes", "memoriser"} {
		data := encode(t, fitted(t, corpustest.Mailbox(3, 30, "ham", "spam"), model, "ham", "spam"))
		f := inParts(t, data)
		f.Classify([]byte(knownLetter))
		if again, err := f.Encode(); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%s: got %d bytes and %v, want %d", model, len(again), err, len(data))
		}
	}
}

// encodeTerms returns the sections PREF and TERM.
func encodeTerms(v *features.Vocabulary, weights []float32, rows int) (pref []uint32, terms []byte) {
	pref = encodePref(v)
	for number := range len(pref) - 2 {
		terms = appendBlock(terms, v, weights, rows, number)
	}
	return pref, terms
}

func TestTermsAreFoundInTheirBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, terms := range []int{0, 1, 15, 16, 40, 70, 5000} {
		for _, rows := range []int{1, 3} {
			hashes, weights := make([]uint64, terms), make([]float32, terms*rows)
			for i := range hashes {
				hashes[i] = rng.Uint64()
			}
			for i := range weights {
				weights[i] = rng.Float32()
			}
			v, err := features.NewVocabulary(hashes)
			noError(t, err)
			pref, data := encodeTerms(v, weights, rows)
			blocks, err := newTermBlocks(pref, rows)
			noError(t, err)
			read := make([]float32, len(weights))
			again, err := blocks.decode(data, read)
			noError(t, err)
			if !slices.Equal(again.Table(), v.Table()) || !slices.Equal(again.BucketStarts(), v.BucketStarts()) || !slices.Equal(read, weights) {
				t.Errorf("%d terms, %d rows: another vocabulary or other weights", terms, rows)
			}
			p := &part{blocks: blocks, allTerms: data}
			p.terms = io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
			known := p.find(nil, append(slices.Clone(hashes), rng.Uint64()))
			if len(known) != terms {
				t.Errorf("%d terms, %d rows: found %d", terms, rows, len(known))
			}
			for i, found := range known {
				if found != uint64(i)<<32|uint64(i) || p.found[i] != uint32(i) || !slices.Equal(p.weights[i*rows:][:rows], weights[i*rows:][:rows]) {
					t.Fatalf("%d terms, %d rows: term %d is %x with %v", terms, rows, i, found, p.weights[i*rows:][:rows])
				}
			}
		}
	}
}

func TestCellsWithoutAWeightTakeNoRoom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, rows := range []int{1, 3} {
		weights := make([]float32, features.CellCount*rows)
		used := 0
		for cell := range features.CellCount {
			if rng.IntN(3) == 0 {
				used++
				weights[cell*rows+rng.IntN(rows)] = rng.Float32()
			}
		}
		weights[0] = float32(math.Copysign(0, -1))
		data := encodeCells(weights, rows)
		if most := (used+1)*4*rows + features.CellCount/8 + features.CellCount/chunkCells*chunkEntry; len(data) > most {
			t.Errorf("%d rows: %d bytes for %d cells, want at most %d", rows, len(data), used, most)
		}
		read := make([]float32, len(weights))
		noError(t, decodeCells(read, data, rows))
		for i := range weights {
			if math.Float32bits(read[i]) != math.Float32bits(weights[i]) {
				t.Fatalf("%d rows: weight %d is %v, want %v", rows, i, read[i], weights[i])
			}
		}
	}
}

// TestDamagedBlocksAreFound flips a bit at each step of a section. A message whose block is damaged has no verdict.
func TestDamagedBlocksAreFound(t *testing.T) {
	file := encode(t, fitted(t, corpustest.Mailbox(1, 60, "ham", "spam"), "votes", "ham", "spam"))
	whole, err := Decode(file)
	noError(t, err)
	raw := []byte("Subject: hama\n\nhamb shareda spamc")
	want := whole.Classify(raw)
	for _, tt := range []struct {
		section string
		step    int
		damaged bool
	}{{"TERM", 64, true}, {"CELL", 512, true}, {"DOCF", 1, false}} {
		f := inParts(t, withFlippedBits(t, file, tt.step, tt.section))
		got := f.Classify(raw)
		if err := f.Err(); errors.Is(err, ErrDamaged) != tt.damaged || !tt.damaged && got != want {
			t.Errorf("%s, each %d bytes: got %+v and %v, want %+v", tt.section, tt.step, got, err, want)
		}
		if _, err := f.Explain(raw); !errors.Is(err, ErrDamaged) && tt.damaged {
			t.Errorf("%s, each %d bytes, explained: got %v, want %v", tt.section, tt.step, err, ErrDamaged)
		}
	}
	for _, section := range []string{"PREF", "FREQ", "SETT", "BIAS", "HKEY"} {
		damaged := withFlippedBits(t, file, 1<<30, section)
		if _, err := decodePart(unchanging{bytes.NewReader(damaged)}, int64(len(damaged))); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, want %v", section, err, ErrDamaged)
		}
	}
}

func TestFrequentTermsNeedNoBlock(t *testing.T) {
	const frequent = "Subject: offer\n\nthese words are in each letter"
	var mail [][2]string
	for i := range 40 {
		rare := fmt.Sprintf(" %[1]da %[1]db %[1]dc %[1]dd %[1]de %[1]df %[1]dg %[1]dh %[1]di %[1]dj", i)
		mail = append(mail, [2]string{[]string{hamName, spamName}[i%2], frequent + rare})
	}
	whole := fitted(t, corpustest.Messages(mail...), "multinomial", hamName, spamName)
	f := inParts(t, encode(t, whole))
	if got, want := f.Classify([]byte(frequent)), whole.Classify([]byte(frequent)); got != want || got.Unknown > 0 || f.Err() != nil {
		t.Errorf("got %+v and %v, want %+v", got, f.Err(), want)
	}
	if f.part.reads > 0 {
		t.Errorf("%d blocks were read", f.part.reads)
	}
	if f.Classify([]byte(mail[0][1])); f.part.reads == 0 {
		t.Error("no block was read for the rare terms")
	}
}

func TestAModelWithoutFrequentTermsIsRead(t *testing.T) {
	whole := spamFilter(t)
	older := withSections(t, encode(t, whole), func(name string, data []byte) []byte {
		if name == "FREQ" {
			return nil
		}
		return data
	})
	f := inParts(t, older)
	if got, want := f.Classify([]byte(knownLetter)), whole.Classify([]byte(knownLetter)); got != want || f.Err() != nil {
		t.Errorf("got %+v and %v, want %+v", got, f.Err(), want)
	}
}

// TestBlocksOfAnotherPlaceAreDamage moves whole blocks with their checksums.
func TestBlocksOfAnotherPlaceAreDamage(t *testing.T) {
	file := encode(t, spamFilter(t))
	good := inParts(t, file)
	terms := good.part.terms.Size()
	moved := withSections(t, file, func(name string, data []byte) []byte {
		if name != "TERM" {
			return data
		}
		var blocks [][]byte
		for number := range good.part.blocks.blocks() {
			from, to, err := good.part.blocks.place(number, int(terms))
			noError(t, err)
			blocks = append(blocks, bytes.Clone(data[from:to]))
		}
		slices.Reverse(blocks)
		return slices.Concat(blocks...)
	})
	f := inParts(t, moved)
	f.Classify([]byte(knownLetter))
	if err := f.Err(); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want %v", err, ErrDamaged)
	}
}

// TestCountsThatDisagreeAreDamage changes one number of section PREF, under a correct checksum.
func TestCountsThatDisagreeAreDamage(t *testing.T) {
	file := encode(t, spamFilter(t))
	for number := range 4 {
		for _, value := range []uint32{0, 1, 7, 32, 33, 1 << 20, 1<<32 - 1} {
			changed := withSections(t, file, func(name string, data []byte) []byte {
				if name == "PREF" {
					copy(data[len(data)-4*(number+1):], littleendian.Bytes([]uint32{value}))
				}
				return data
			})
			if bytes.Equal(changed, file) {
				continue
			}
			if _, err := Decode(changed); !errors.Is(err, ErrDamaged) {
				t.Errorf("number %d from the end is %d: got %v, want %v", number, value, err, ErrDamaged)
			}
			if f, err := decodePart(unchanging{bytes.NewReader(changed)}, int64(len(changed))); err == nil {
				f.Classify([]byte(knownLetter)) // does not panic
			}
		}
	}
}
