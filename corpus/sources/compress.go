package sources

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"chaff/corpus"
)

// compression is the way a file is made smaller, by the name of the usual tool;
// the zero value is a file as it is. A file shows it by its first bytes: the names
// of mail files say nothing about it.
type compression string

const (
	uncompressed compression = ""
	gzipped      compression = "gzip"
	bzipped      compression = "bzip2"
	xzipped      compression = "xz"
	zstandard    compression = "zstd"
)

// magicBytes is how many bytes compressionOf looks at.
const magicBytes = 10

// maxWindow bounds the memory that a compressed file may ask for to be read: as
// much as the tools themselves grant without being told.
const maxWindow = 128 << 20

// compressionOf looks at the first bytes of a file.
func compressionOf(head []byte) compression {
	if len(head) < 4 {
		return uncompressed
	}
	switch {
	case head[0] == 0x1f && head[1] == 0x8b && head[2] == 8:
		return gzipped
	case head[0] == 'B' && isBzip2(head):
		return bzipped
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		return xzipped
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		return zstandard
	case head[0]&0xf0 == 0x50 && bytes.HasPrefix(head[1:], []byte("\x2a\x4d\x18")):
		return zstandard // begins with a frame to be skipped, as pzstd writes it
	}
	return uncompressed
}

// isBzip2 wants more than "BZh9", which text may begin with: the mark of the first
// block, or of the end of an empty file.
func isBzip2(head []byte) bool {
	if len(head) < magicBytes || !bytes.HasPrefix(head, []byte("BZh")) || head[3] < '1' || head[3] > '9' {
		return false
	}
	mark := string(head[4:10])
	return mark == "1AY&SY" || mark == "\x17\x72\x45\x38\x50\x90"
}

// decompress returns what r holds, compressed with c. Its errors say that the
// compression was at fault.
func (c compression) decompress(r io.Reader) (io.ReadCloser, error) {
	var plain io.Reader
	var err error
	free := func() {}
	switch c {
	case uncompressed:
		return io.NopCloser(r), nil
	case gzipped:
		plain, err = gzip.NewReader(r)
	case bzipped:
		plain = bzip2.NewReader(r)
	case xzipped:
		plain, err = xz.ReaderConfig{DictCap: lzma.MinDictCap}.NewReader(bufio.NewReader(newXZGuard(r)))
	case zstandard:
		var d *zstd.Decoder
		d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err == nil {
			plain, free = d, d.Close
		}
	}
	if err != nil {
		return nil, c.explain(err)
	}
	return &decompressor{plain, c, free}, nil
}

// explain says what is wrong with compressed data.
func (c compression) explain(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the %s data is cut off: %w", c, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("decompress with %s: %w", c, err)
}

// decompressor is a decompressed file.
type decompressor struct {
	r    io.Reader
	c    compression
	free func()
}

func (d *decompressor) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && err != io.EOF {
		err = d.c.explain(err)
	}
	return n, err
}

func (d *decompressor) Close() error {
	d.free()
	return nil
}

// decompressed returns what r holds, without its compression if it has one.
func decompressed(r io.Reader) (io.ReadCloser, compression, error) {
	buffered := bufio.NewReader(r)
	head, err := buffered.Peek(magicBytes)
	if err != nil && err != io.EOF {
		return nil, uncompressed, err
	}
	c := compressionOf(head)
	plain, err := c.decompress(buffered)
	return plain, c, err
}

// openPlain opens the file name of fsys and takes its compression off, if it has
// one.
func openPlain(fsys fs.FS, name string) (io.ReadCloser, error) {
	f, err := orSystem(fsys).Open(name)
	if err != nil {
		return nil, err
	}
	plain, _, err := decompressed(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return plainFile{plain, f}, nil
}

// plainFile is a decompressed file that closes what it is read from as well.
type plainFile struct {
	io.ReadCloser
	file fs.File
}

func (p plainFile) Close() error {
	return errors.Join(p.ReadCloser.Close(), p.file.Close())
}

// unpackMessage takes the compression off raw, the whole of a file that should be
// one message, if it has one. The result is raw or in memory of its own. A file
// that is an archive is an error: its messages are not one message.
func unpackMessage(raw []byte) ([]byte, error) {
	c := compressionOf(raw)
	if c == uncompressed {
		return raw, notContainer(raw)
	}
	r, err := c.decompress(bytes.NewReader(raw))
	if err != nil {
		return raw, err
	}
	defer r.Close()
	// An archive may be large, so the first bytes are looked at first.
	head := bufio.NewReaderSize(r, tarBlock)
	if start, _ := head.Peek(tarBlock); notContainer(start) != nil {
		return raw, notContainer(start)
	}
	return corpus.AppendMessage(nil, head)
}
