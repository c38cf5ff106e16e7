package sources

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/xi2/xz"
	"golang.org/x/text/encoding/unicode"

	"chaff/corpus"
	"chaff/message"
)

// compression is how a file was packed, as its first bytes say: the name of the tool that compressed it, UTF-16 if the shell of Windows converted
// all of it, or "" for a plain file.
type compression string

const (
	uncompressed compression = ""
	gzipped      compression = "gzip"
	bzipped      compression = "bzip2"
	xzipped      compression = "xz"
	zstandard    compression = "zstd"
	inUTF16      compression = "UTF-16"
)

const magicBytes = 10

// maxWindow limits the memory that decompressing a file may need. The tools have the same limit by default.
const maxWindow = 128 << 20

func compressionOf(head []byte) compression {
	if len(head) < 4 {
		return uncompressed
	}
	switch {
	case head[0] == 0x1f && head[1] == 0x8b && head[2] == 8:
		return gzipped
	case bytes.HasPrefix(head, []byte("BZh")) && len(head) >= magicBytes && slices.Contains(bzip2Marks, string(head[4:magicBytes])):
		return bzipped
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		return xzipped
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		return zstandard
	case head[0]&0xf0 == 0x50 && bytes.HasPrefix(head[1:], []byte("\x2a\x4d\x18")):
		return zstandard // begins with a skippable frame, as pzstd writes it
	case (head[0] == 0xff && head[1] == 0xfe || head[0] == 0xfe && head[1] == 0xff) && bytes.IndexByte(head[:min(len(head), magicBytes)], 0) > 0:
		return inUTF16
	}
	return uncompressed
}

// bzip2Marks follow "BZh9", which text may begin with: the mark of the first block, or of the end of an empty file.
var bzip2Marks = []string{"1AY&SY", "\x17\x72\x45\x38\x50\x90"}

// decompress returns the content of r, compressed with c. The errors of reading name the compression.
func (c compression) decompress(r io.Reader) io.Reader {
	var err error
	switch c {
	case uncompressed:
		return r
	case gzipped:
		r, err = gzip.NewReader(r)
	case bzipped:
		r = bzip2.NewReader(r)
	case xzipped:
		r, err = xz.NewReader(r, maxWindow)
	case zstandard: // without goroutines there is nothing to close
		r, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	case inUTF16:
		r = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(r)
	}
	if err != nil {
		err = c.explain(err)
	}
	return &errorKeeper{r, c.explain, err}
}

func (c compression) explain(err error) error {
	switch {
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) || err == xz.ErrBuf:
		return fmt.Errorf("the %s data is cut off: %w", c, io.ErrUnexpectedEOF)
	case err == xz.ErrMemlimit:
		return fmt.Errorf("decompress with xz: needs more than %d bytes of memory", maxWindow)
	}
	return fmt.Errorf("decompress with %s: %w", c, err)
}

// decompressed returns the content of r, decompressed if necessary.
func decompressed(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	head, err := buffered.Peek(magicBytes)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return compressionOf(head).decompress(buffered), nil
}

// unpackMessage decompresses raw, the whole of a file that should be one message. The result is raw itself or new memory. An
// archive is an error: its messages are not one message.
func unpackMessage(raw []byte) ([]byte, error) {
	c := compressionOf(raw)
	start, plain := raw, (*bufio.Reader)(nil)
	if c != uncompressed { // an archive may be large, so its first bytes are examined first
		plain = bufio.NewReaderSize(c.decompress(bytes.NewReader(raw)), tarBlock)
		start, _ = plain.Peek(tarBlock)
	}
	switch {
	case archiveKind(start) != "":
		return raw, message.IsNoMail("archive")
	case c == uncompressed:
		return raw, nil
	}
	return corpus.AppendMessage(nil, plain)
}
