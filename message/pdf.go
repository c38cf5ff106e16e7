package message

func (d *Decoder) pdf(part *Part, content []byte) {}
