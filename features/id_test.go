package features

// ID returns the id of the term with the given hash, and whether the vocabulary knows it.
func (v *Vocabulary) ID(hash uint64) (id uint32, known bool) {
	var found [1]uint64
	if k := v.AppendKnown(found[:0], []uint64{hash}); len(k) > 0 {
		return uint32(k[0] >> 32), true
	}
	return 0, false
}
