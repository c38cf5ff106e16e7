package filter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"chaff/features"
	"chaff/internal/sections"
	"chaff/models"
	"chaff/test/corpustest"
)

// inParts returns the filter in a model file of which parts are read.
func inParts(t testing.TB, data []byte) *One {
	t.Helper()
	f, err := oneIn(data)
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
					for i, raw := range append(letters(24), "", "\nnothing of this is known") {
						if messages == 0 {
							f = inParts(t, data)
						}
						want := whole.Classify([]byte(raw))
						if got, err := f.Classify([]byte(raw)); got != want || err != nil {
							t.Fatalf("message %d: got %+v, %v, want %+v", i, got, err, want)
						}
					}
				}
			})
		}
	}
}

func TestAModelThatIsReadInPartsIsSavedAsTheWholeOne(t *testing.T) {
	for _, model := range []string{"votes", "memoriser"} {
		data := encode(t, fitted(t, corpustest.Mailbox(3, 30, "ham", "spam"), model, "ham", "spam"))
		one := inParts(t, data)
		one.Classify([]byte(knownLetter))
		f, err := decode(one.file)
		noError(t, err)
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
			var encoded sections.Memory
			w := modelFormat.NewWriter(&encoded, 2)
			w.Add("PREF", sections.Bytes(pref))
			w.Add("TERM", data)
			_, err = w.Close()
			noError(t, err)
			file, err := modelFormat.Open(bytes.NewReader(encoded), int64(len(encoded)))
			noError(t, err)
			tables, err := newTables(file, rows)
			noError(t, err)
			again, read, err := tables.all(false)
			noError(t, err)
			if !reflect.DeepEqual(again, v) || !slices.Equal(read, weights) {
				t.Errorf("%d terms, %d rows: another vocabulary or other weights", terms, rows)
			}
			known, found, err := (&head{tables: tables}).find(append(slices.Clone(hashes), rng.Uint64()))
			if len(known) != terms || err != nil {
				t.Errorf("%d terms, %d rows: found %d, %v", terms, rows, len(known), err)
			}
			for i, k := range known {
				if k != uint64(i)<<32|uint64(i) || !slices.Equal(found[i*rows:][:rows], weights[i*rows:][:rows]) {
					t.Fatalf("%d terms, %d rows: term %d is %x with %v", terms, rows, i, k, found[i*rows:][:rows])
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
		var encoded sections.Memory
		w := modelFormat.NewWriter(&encoded, 1)
		w.Add("CELL", data)
		_, err := w.Close()
		noError(t, err)
		file, err := modelFormat.Open(bytes.NewReader(encoded), int64(len(encoded)))
		noError(t, err)
		read := make([]float32, len(weights))
		cells := make([]uint32, features.CellCount)
		for i := range cells {
			cells[i] = uint32(i)
		}
		tables := tables{file: file, rows: rows}
		noError(t, tables.readCells(read, cells))
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
		got, err := f.Classify(raw)
		if errors.Is(err, ErrDamaged) != tt.damaged || !tt.damaged && got != want {
			t.Errorf("%s, each %d bytes: got %+v and %v, want %+v", tt.section, tt.step, got, err, want)
		}
	}
	for _, section := range []string{"PREF", "FREQ", "SETT", "BIAS", "HKEY"} {
		damaged := withFlippedBits(t, file, 1<<30, section)
		if _, err := oneIn(damaged); !errors.Is(err, ErrDamaged) {
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
	reader := f.newReader()
	reader.Read([]byte(frequent))
	hashes := reader.Bag.Document().Terms
	want := whole.Classify([]byte(frequent))
	if known, _, err := f.find(hashes); len(known) != len(hashes) || want.Unknown > 0 || err != nil {
		t.Errorf("%d of %d terms are known, %v; %+v", len(known), len(hashes), err, want)
	}
	f = inParts(t, withFlippedBits(t, encode(t, whole), 1, "TERM"))
	if got, err := f.Classify([]byte(frequent)); got != want || err != nil {
		t.Errorf("without blocks: got %+v and %v, want %+v", got, err, want)
	}
	if _, err := f.Classify([]byte(mail[0][1])); !errors.Is(err, ErrDamaged) {
		t.Errorf("no block was read for the rare terms: %v", err)
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
	want := whole.Classify([]byte(knownLetter))
	if got, err := f.Classify([]byte(knownLetter)); got != want || err != nil {
		t.Errorf("got %+v and %v, want %+v", got, err, want)
	}
}

// TestBlocksOfAnotherPlaceAreDamage moves whole blocks with their checksums.
func TestBlocksOfAnotherPlaceAreDamage(t *testing.T) {
	file := encode(t, spamFilter(t))
	good := inParts(t, file)
	moved := withSections(t, file, func(name string, data []byte) []byte {
		if name != "TERM" {
			return data
		}
		var blocks [][]byte
		for number := range len(good.tables.starts) - 1 {
			size := blockHeader + 4*int(good.tables.starts[number+1]-good.tables.starts[number])*(2+good.tables.rows)
			blocks = append(blocks, bytes.Clone(data[:size]))
			data = data[size:]
		}
		slices.Reverse(blocks)
		return slices.Concat(blocks...)
	})
	f := inParts(t, moved)
	if _, err := f.Classify([]byte(knownLetter)); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want %v", err, ErrDamaged)
	}
}

// TestCountsThatDisagreeAreDamage changes one number of section PREF, under a correct checksum.
func TestCountsThatDisagreeAreDamage(t *testing.T) {
	spam := spamFilter(t)
	file := encode(t, spam)
	for number := range 4 {
		for _, value := range []uint32{0, 1, 7, 32, 33, 1 << 20, 1<<30 + uint32(spam.vocabulary.Len()), 1<<32 - 1} {
			changed := withSections(t, file, func(name string, data []byte) []byte {
				if name == "PREF" {
					copy(data[len(data)-4*(number+1):], sections.Bytes([]uint32{value}))
				}
				return data
			})
			if bytes.Equal(changed, file) {
				continue
			}
			if _, err := Decode(changed); !errors.Is(err, ErrDamaged) {
				t.Errorf("number %d from the end is %d: got %v, want %v", number, value, err, ErrDamaged)
			}
			if f, err := oneIn(changed); err == nil {
				f.Classify([]byte(knownLetter)) // does not panic
			}
		}
	}
}

func TestAnIDThatNoTermHasIsDamage(t *testing.T) {
	le := binary.LittleEndian
	for _, id := range []uint32{1 << 20, 1<<31 + 1, 1<<32 - 1} {
		var pref []uint32
		changed := withSections(t, encode(t, spamFilter(t)), func(name string, data []byte) []byte {
			switch name {
			case "PREF":
				pref = sections.Decode[uint32](data)
			case "FREQ":
				for at := 8; at < len(data); at += 16 {
					le.PutUint32(data[at:], id)
				}
			case "TERM":
				for number := range len(pref) - 2 { // all of one row
					block := data[number*blockHeader+12*int(pref[number+1]):][:blockHeader+12*int(pref[number+2]-pref[number+1])]
					for at := blockHeader + 4; at < len(block); at += 12 {
						le.PutUint32(block[at:], id)
					}
					le.PutUint32(block, uint32(checksumOf(block[4:], number)))
				}
			}
			return data
		})
		if _, err := Decode(changed); !errors.Is(err, ErrDamaged) {
			t.Errorf("id %d: got %v, want %v", id, err, ErrDamaged)
		}
		if c, err := inParts(t, changed).Classify([]byte(knownLetter)); c.Known > 0 || err != nil {
			t.Errorf("id %d: %d terms are known, %v", id, c.Known, err)
		}
	}
}

func TestAFrequentTermWithAnIDThatNoTermHasIsNotSaved(t *testing.T) {
	file := withSections(t, encode(t, spamFilter(t)), func(name string, data []byte) []byte {
		switch name {
		case "FREQ":
			binary.LittleEndian.PutUint32(data[8:], 1<<31)
		case "TEXT", "DOCF":
			return nil
		}
		return data
	})
	f, err := Decode(file)
	noError(t, err)
	again, err := Decode(encode(t, f))
	noError(t, err)
	if c, want := again.Classify([]byte(knownLetter)), f.Classify([]byte(knownLetter)); c != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
}
