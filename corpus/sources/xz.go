package sources

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// An xzGuard passes an xz file through, and stops with an error before a block
// that wants more than maxWindow of memory. The library that decompresses takes
// what the block asks for, up to 4 GiB, before it has seen a byte of it, and a
// message of a hundred bytes can ask. The guard follows the outline of the file
// only (The .xz File Format 1.2.1; control bytes of LZMA2 as in xz-embedded), and
// sees by it where the file may end: the library takes one that is cut off between
// two blocks for whole. All else that may be wrong is left to the library.
type xzGuard struct {
	r       io.Reader
	step    func() error // reads the next piece of the outline into pending
	pending []byte       // looked at, and to be passed on
	skip    int64        // bytes to be passed on after that without a look
	check   int64        // size of the checksum after each block
	blocks  uint64       // of the stream so far
	block   int64        // compressed bytes of the block so far
	err     error
}

func newXZGuard(r io.Reader) *xzGuard {
	g := &xzGuard{r: r}
	g.step = g.streamHeader
	return g
}

var errXZ = errors.New("the xz data is damaged")

func (g *xzGuard) Read(p []byte) (int, error) {
	for len(p) > 0 {
		switch {
		case len(g.pending) > 0:
			n := copy(p, g.pending)
			g.pending = g.pending[n:]
			return n, nil
		case g.skip > 0:
			n, err := g.r.Read(p[:min(int64(len(p)), g.skip)])
			g.skip -= int64(n)
			if err == io.EOF && g.skip > 0 {
				err = io.ErrUnexpectedEOF
			}
			return n, err
		case g.err != nil:
			return 0, g.err
		}
		g.err = g.step()
	}
	return 0, nil
}

// read moves n more bytes into pending and returns them. What is there before
// the end of the file is passed on too.
func (g *xzGuard) read(n int) ([]byte, error) {
	start := len(g.pending)
	g.pending = append(g.pending, make([]byte, n)...)
	read, err := io.ReadFull(g.r, g.pending[start:])
	g.pending = g.pending[:start+read]
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return g.pending[start:], err
}

// streamHeader reads the header of a stream, or four zero bytes between streams.
func (g *xzGuard) streamHeader() error {
	b, err := g.read(4)
	if err == io.ErrUnexpectedEOF && len(b) == 0 {
		return io.EOF // between two streams is the only place where a file may end
	}
	if err != nil || string(b) == "\x00\x00\x00\x00" {
		return err
	}
	if b, err = g.read(8); err != nil {
		return err
	}
	g.blocks, g.check = 0, 0
	if id := b[3] & 0x0f; id > 0 { // 1 to 3 have 4 bytes, 4 to 6 have 8, and so on
		g.check = 4 << ((id - 1) / 3)
	}
	g.step = g.blockHeader
	return nil
}

func (g *xzGuard) blockHeader() error {
	b, err := g.read(1)
	if err != nil {
		return err
	}
	if b[0] == 0 {
		g.step = g.index
		return nil
	}
	if b, err = g.read((int(b[0])+1)*4 - 1); err != nil {
		return err
	}
	if err := checkFilters(b); err != nil {
		g.pending = nil
		return err
	}
	g.blocks++
	g.block, g.step = 0, g.chunk
	return nil
}

// checkFilters looks at a block header, without its first byte, for the size of
// the dictionary.
func checkFilters(b []byte) error {
	flags, b := b[0], b[1:]
	number := func() (x uint64) {
		x, n := binary.Uvarint(b)
		b = b[max(n, 0):]
		return x
	}
	for bit := byte(0x40); bit != 0; bit <<= 1 { // the sizes of the block
		if flags&bit != 0 {
			number()
		}
	}
	for range flags&3 + 1 {
		id, size := number(), number()
		if size > uint64(len(b)) {
			return errXZ
		}
		if id == 0x21 && size == 1 {
			bits := b[0] & 0x3f
			if dictionary := uint64(2|bits&1) << (bits/2 + 11); dictionary > maxWindow {
				return fmt.Errorf("needs %d bytes of memory to be read (the limit is %d)", dictionary, maxWindow)
			}
		}
		b = b[size:]
	}
	return nil
}

// chunk reads the head of one chunk of LZMA2, or the end of the block.
func (g *xzGuard) chunk() error {
	b, err := g.read(1)
	if err != nil {
		return err
	}
	g.block++
	more := 0
	switch control := b[0]; {
	case control == 0:
		g.skip = -g.block&3 + g.check
		g.step = g.blockHeader
		return nil
	case control >= 0xc0: // compressed, with properties
		more = 5
	case control >= 0x80: // compressed
		more = 4
	case control <= 2: // as it is
		more = 2
	default:
		return errXZ
	}
	if b, err = g.read(more); err != nil {
		return err
	}
	size := b[:2]
	if more > 2 {
		size = b[2:4]
	}
	g.skip = int64(binary.BigEndian.Uint16(size)) + 1
	g.block += int64(more) + g.skip
	return nil
}

// index reads the list of blocks and the footer of the stream.
func (g *xzGuard) index() error {
	n := int64(1) // with the zero byte that it begins with
	number := func() (uint64, error) {
		var x uint64
		for shift := 0; shift < 63; shift += 7 {
			b, err := g.read(1)
			if err != nil {
				return 0, err
			}
			n++
			x |= uint64(b[0]&0x7f) << shift
			if b[0] < 0x80 {
				return x, nil
			}
		}
		return 0, errXZ
	}
	blocks, err := number()
	if err == nil && blocks != g.blocks {
		return errXZ
	}
	for i := uint64(0); err == nil && i < 2*blocks; i++ {
		_, err = number()
	}
	const checksum, footer = 4, 12
	g.skip = -n&3 + checksum + footer
	g.step = g.streamHeader
	return err
}
