package features

import (
	"math/bits"
	"slices"
)

// Extension is the terms that came after a vocabulary was frozen, as lists of their hashes in the order of their ids, which follow those of
// the vocabulary. It has no table: a process for one document compares all terms with the few that the document has and the vocabulary
// lacks, which takes less time than making one.
type Extension struct {
	lists []TermList
	terms int
}

// TermList calls do with the hashes of terms in the order of their ids, some at a time, which do must not keep.
type TermList func(do func(hashes []uint64))

// Add adds a list of so many terms, which get the next ids.
func (e *Extension) Add(terms int, list TermList) {
	e.lists = append(e.lists, list)
	e.terms += terms
}

// Len returns the number of terms.
func (e *Extension) Len() int { return e.terms }

// Hashes returns the hashes of all terms.
func (e *Extension) Hashes() []uint64 {
	all := make([]uint64, 0, e.terms)
	for _, each := range e.lists {
		each(func(hashes []uint64) { all = append(all, hashes...) })
	}
	return all
}

// LaterTerm is a term of a document that the vocabulary lacks.
type LaterTerm struct {
	Index int    // in the document; 0 for the kind [Whole]
	Hash  uint64 // that of the document for the kind [Whole]
	ID    uint32
}

// AppendExtended is [Lookup.AppendVector] for a vocabulary with an extension. It also returns the terms of doc that the extension has.
func (l *Lookup) AppendExtended(dst Vector, v *Vocabulary, e *Extension, doc Document, kind Kind) (x Vector, later []LaterTerm) {
	later = l.lookUp(v, e, doc, kind)
	return l.appendLater(dst, v.Len()+e.terms, later, doc, kind), later
}

// AppendLearned is [Lookup.AppendExtended], and gives the terms that neither v nor e has the next ids. It returns these terms in the order
// of their ids. For the kind [HeadBits] only terms of the head get one.
func (l *Lookup) AppendLearned(dst Vector, v *Vocabulary, e *Extension, doc Document, kind Kind) (x Vector, added []LaterTerm) {
	later := l.lookUp(v, e, doc, kind)
	unknown := l.unknown(len(l.hashesOf(doc, kind)), later)
	ids := make(map[uint64]uint32)
	for i, hash := range l.hashesOf(doc, kind) {
		if !unknown[i] || kind == HeadBits && !doc.InHead[i] {
			continue
		}
		t := LaterTerm{Index: i, Hash: hash}
		id, again := ids[v.identifying(hash)]
		if !again { // two hashes can be one term
			id = uint32(v.Len() + e.terms + len(ids))
			ids[v.identifying(hash)] = id
		}
		if t.ID = id; !again {
			added = append(added, t)
		}
		later = append(later, t)
	}
	return l.appendLater(dst, v.Len()+e.terms+len(ids), later, doc, kind), added
}

// Unknown reports for each term of doc whether neither v nor e has it.
func (l *Lookup) Unknown(v *Vocabulary, e *Extension, doc Document) []bool {
	later := l.lookUp(v, e, doc, Bits)
	return l.unknown(len(doc.Terms), later)
}

// unknown reports for each of n terms whether it is neither in l.known nor later.
func (l *Lookup) unknown(n int, later []LaterTerm) []bool {
	unknown := make([]bool, n)
	for i := range unknown {
		unknown[i] = true
	}
	for _, known := range l.known {
		unknown[uint32(known)] = false
	}
	for _, t := range later {
		unknown[t.Index] = false
	}
	return unknown
}

// lookUp sets l.known to the terms that v knows, and returns those that e has.
func (l *Lookup) lookUp(v *Vocabulary, e *Extension, doc Document, kind Kind) []LaterTerm {
	hashes := l.hashesOf(doc, kind)
	l.known = v.appendKnown(l.known[:0], hashes)
	if e.terms == 0 {
		return nil
	}
	var missing []identified // with the index
	known := l.known
	for i, hash := range hashes {
		if len(known) > 0 && uint32(known[0]) == uint32(i) {
			known = known[1:]
			continue
		}
		missing = append(missing, identified{v.identifying(hash), uint32(i)})
	}
	return e.find(v, missing, hashes)
}

// find returns the terms of e among those that v lacks.
func (e *Extension) find(v *Vocabulary, missing []identified, hashes []uint64) (found []LaterTerm) {
	// A bit for the lowest identifying bits of each missing term, one in 64 of all bits: most terms of e need no other look.
	words := 1 << bits.Len(uint(len(missing)))
	seen, mask := make([]uint64, words), uint64(words-1)
	for _, m := range missing {
		seen[m.bits/64&mask] |= 1 << (m.bits % 64)
	}
	slices.SortStableFunc(missing, identified.compare)
	id := uint32(v.Len())
	shift := v.shift - 32 // as in identifying; a variable of this function stays in a register
	compare := func(list []uint64) {
		for _, hash := range list {
			if b := hash >> shift; seen[b/64&mask]>>(b%64)&1 != 0 {
				at, _ := slices.BinarySearchFunc(missing, identified{bits: b}, identified.compare)
				for ; at < len(missing) && missing[at].bits == b; at++ {
					i := missing[at].number
					found = append(found, LaterTerm{Index: int(i), Hash: hashes[i], ID: id})
				}
			}
			id++
		}
	}
	for _, each := range e.lists {
		each(compare)
	}
	return found
}

// appendLater appends the known terms and the later ones. All ids are below terms.
func (l *Lookup) appendLater(dst Vector, terms int, later []LaterTerm, doc Document, kind Kind) Vector {
	for _, t := range later {
		l.known = append(l.known, uint64(t.ID)<<32|uint64(t.Index))
	}
	l.sort(terms)
	return l.appendRow(dst, doc, kind)
}
