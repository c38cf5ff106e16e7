package sources

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"chaff/corpus"
	"chaff/message"
)

// pack compresses text. There is no bzip2 writer for Go: see testdata.
func pack(t testing.TB, c compression, text string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch c {
	case gzipped:
		w = gzip.NewWriter(&b)
	case xzipped:
		return packXZ(text, nil)
	case zstandard:
		w, err = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<16))
	default:
		t.Fatalf("no writer for %q", c)
	}
	must(t, err)
	_, err = io.WriteString(w, text)
	must(t, err)
	must(t, w.Close())
	return b.String()
}

func TestFilesInUTF16AreReadAsInUTF8(t *testing.T) {
	const one, two = "From a@b.example Thu Aug 22 12:36:23 2002\nSubject: a\n\nâ\n\n", "From a@b.example Thu Aug 22 12:36:24 2002\nSubject: b\n\n"
	wide := func(order binary.AppendByteOrder, text string) (file string) {
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			file += string(order.AppendUint16(nil, unit))
		}
		return file
	}
	for about, order := range map[string]binary.AppendByteOrder{"little-endian": binary.LittleEndian, "big-endian": binary.BigEndian} {
		root := tree(t, map[string]string{"letter": wide(order, "Subject: ä\n\nb\n"), "mbox": wide(order, one+two), "sms.csv": wide(order, "label,text\nham,hello\nspam,bye\n")})
		mail, err := OpenLabelled(filepath.Join(root, "sms.csv"), Options{})
		must(t, err)
		got := append(contents(open(t, filepath.Join(root, "letter"), "")), contents(open(t, filepath.Join(root, "mbox"), ""))...)
		check(t, about, append(got, contents(mail.Source)...), []string{"ham: Subject: ä\n\nb\n", "ham: " + one, "ham: " + two, "ham: \nhello", "spam: \nbye"})
	}
}

// packXZ makes an xz file of stored blocks of 64 KiB (The .xz File Format 1.2.1). A block needs a dictionary of 64 KiB,
// or one of the size that dictionaries encodes for it.
func packXZ(text string, dictionaries map[int]byte) string {
	withSum := func(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)) }
	padded := func(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }
	flags := []byte{0, 1} // CRC32 after each block
	file := append([]byte("\xfd7zXZ\x00"), withSum(flags)...)
	var records []byte
	n := 0
	for data := range slices.Chunk([]byte(text), 1<<16) {
		dictionary, ok := dictionaries[n]
		if !ok {
			dictionary = 8
		}
		n++
		const lzma2, stored = 0x21, 1
		block := withSum([]byte{2, 0, lzma2, 1, dictionary, 0, 0, 0})
		block = binary.BigEndian.AppendUint16(append(block, stored), uint16(len(data)-1))
		block = append(append(block, data...), 0)
		records = binary.AppendUvarint(records, uint64(len(block)+4))
		records = binary.AppendUvarint(records, uint64(len(data)))
		file = append(file, padded(block)...)
		file = binary.LittleEndian.AppendUint32(file, crc32.ChecksumIEEE(data))
	}
	index := withSum(padded(append(binary.AppendUvarint([]byte{0}, uint64(n)), records...)))
	footer := append(binary.LittleEndian.AppendUint32(nil, uint32(len(index)/4-1)), flags...)
	file = append(file, index...)
	file = binary.LittleEndian.AppendUint32(file, crc32.ChecksumIEEE(footer))
	return string(file) + string(footer) + "YZ"
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, err)
	return string(b)
}

const minutes = "Subject: minutes\n\nThe gate is open on Monday.\n"

var packers = []compression{gzipped, xzipped, zstandard}

func TestMessageThatIsCompressedIsReadWhereverItLies(t *testing.T) {
	twice := pack(t, gzipped, minutes[:10]) + pack(t, gzipped, minutes[10:])
	skipped := "\x50\x2a\x4d\x18\x02\x00\x00\x00ab" + pack(t, zstandard, minutes)
	for about, packed := range map[string]string{
		"gzip": pack(t, gzipped, minutes), "bzip2": testdata(t, "message.bz2"),
		"xz": testdata(t, "message.xz"), "xz of stored blocks": pack(t, xzipped, minutes), "zstd": pack(t, zstandard, minutes),
		"two pieces of gzip": twice, "zstd after a frame to be skipped": skipped,
		"two streams of xz with padding": pack(t, xzipped, minutes[:10]) + "\x00\x00\x00\x00" + pack(t, xzipped, minutes[10:]),
	} {
		t.Run(about, func(t *testing.T) {
			root := tree(t, map[string]string{"maildir/cur/1001234567.a.h:2,S": packed, "maildir/new/": "", "folder/1": packed, "message": packed})
			for _, name := range []string{"maildir", "folder", "message"} {
				check(t, name, contents(open(t, filepath.Join(root, name), "")), []string{"ham: " + minutes})
			}
		})
	}
}

func TestCompressedFileWithoutContent(t *testing.T) {
	for about, packed := range map[string]string{
		"gzip": pack(t, gzipped, ""), "bzip2": testdata(t, "empty.bz2"), "xz": pack(t, xzipped, ""), "zstd": pack(t, zstandard, ""),
	} {
		got, err := unpackMessage([]byte(packed))
		if err != nil || len(got) != 0 {
			t.Errorf("%s: got %q, %v", about, got, err)
		}
	}
}

func TestTextIsNotTakenForCompressed(t *testing.T) {
	for _, text := range []string{
		"", "B", "BZh", "BZh9 is how such a file begins\n", "PK\n", "P*M", "Subject: \x1f\x8b\x08\n", "\x1f\x8b\n\n", "\xfd7zXZ and so on",
		strings.Repeat("0", 2*tarBlock), strings.Repeat("\x00", 2*tarBlock),
	} {
		got, err := unpackMessage([]byte(text))
		if err != nil || string(got) != text {
			t.Errorf("%.20q: got %q, %v", text, got, err)
		}
	}
}

func TestDamagedCompressionNamesFileAndReason(t *testing.T) {
	long := strings.Repeat(minutes, 1000)
	bzip := testdata(t, "message.bz2")
	files := map[string]string{"bzip2-cut": bzip[:len(bzip)-5], "bzip2-bad": bzip[:40] + "xx" + bzip[42:]}
	for _, c := range packers {
		packed := pack(t, c, long)
		files[string(c)+"-cut"] = packed[:len(packed)/2]
		files[string(c)+"-head"] = packed[:12]
		bad := []byte(packed)
		for i := len(bad) / 2; i < len(bad)/2+8; i++ {
			bad[i] ^= 0x55
		}
		files[string(c)+"-bad"] = string(bad)
	}
	root := tree(t, files)
	for name := range files {
		item := Item{Origin: "mail/" + name, Content: location{fsys: system{}, path: filepath.Join(root, name), message: unpackMessage}}
		got, err := readAny(item, nil)
		want := []any{"read mail/" + name + ": ", strings.TrimSuffix(name[:strings.IndexByte(name, '-')], "-")}
		if strings.HasSuffix(name, "-cut") {
			want = append(want, "data is cut off")
		}
		checkError(t, err, want...)
		if len(got) != 0 {
			t.Errorf("%s: got %d bytes with the error", name, len(got))
		}
	}
}

func TestMessageThatUnpacksToTooMuchIsAnError(t *testing.T) {
	bomb := strings.Repeat(pack(t, zstandard, strings.Repeat("\x00", 8<<20)), message.MaxSize>>23+1)
	got, err := Item{Origin: "o", Content: location{fsys: fstest.MapFS{"m": {Data: []byte(bomb)}}, path: "m", message: unpackMessage}}.Read(nil)
	checkError(t, err, "read o: "+corpus.ErrTooLarge.Error())
	if len(bomb) > 1<<20 || cap(got) > 2*message.MaxSize {
		t.Errorf("the bomb has %d bytes and took %d of memory", len(bomb), cap(got))
	}
}

func TestMemoryThatXZAsksForIsBounded(t *testing.T) {
	for block := range 2 {
		const dictionary4GiB = 40
		hungry := packXZ(strings.Repeat("x", 3<<16), map[int]byte{block: dictionary4GiB})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := unpackMessage([]byte(hungry))
		runtime.ReadMemStats(&after)
		checkError(t, err, "decompress with xz: needs more than 134217728 bytes of memory")
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
			t.Errorf("block %d: %d bytes of memory were taken", block, grown)
		}
	}
	const dictionary64MiB = 28 // of xz -9
	if got, err := unpackMessage([]byte(packXZ("x", map[int]byte{0: dictionary64MiB}))); string(got) != "x" || err != nil {
		t.Errorf("xz -9: got %q, %v", got, err)
	}
}

// A file that ends between two blocks is cut off, although each block is whole.
func TestXZThatEndsBetweenBlocks(t *testing.T) {
	packed := packXZ(strings.Repeat("x", 2<<16), nil)
	block := (len(packed) - 12) / 2
	for end := 12 + block - 40; end < 12+block+8; end++ {
		_, err := unpackMessage([]byte(packed[:end]))
		checkError(t, err, "the xz data is cut off")
	}
}

func FuzzUnpackMessage(f *testing.F) {
	f.Add([]byte(testdata(f, "message.xz")))
	f.Add([]byte(testdata(f, "message.bz2")))
	f.Add([]byte(pack(f, xzipped, "a") + "\x00\x00\x00\x00" + pack(f, xzipped, "b")))
	f.Add([]byte(packXZ("a", map[int]byte{0: 40})))
	f.Add([]byte(pack(f, zstandard, minutes)))
	f.Add([]byte(pack(f, gzipped, minutes)))
	f.Fuzz(func(t *testing.T, data []byte) {
		plain, err := unpackMessage(bytes.Clone(data))
		if err == nil && compressionOf(data) == uncompressed && !bytes.Equal(plain, data) {
			t.Error("a file that is not compressed was changed")
		}
		if err == nil && len(plain) > message.MaxSize {
			t.Errorf("got %d bytes", len(plain))
		}
	})
}

func TestCompressedMboxIsReadAtItsPlaces(t *testing.T) {
	mbox := ""
	var want []string
	for _, subject := range []string{"one", "two", "three"} {
		m := "From ann@example.org Thu Aug 22 12:36:23 2002\nSubject: " + subject + "\n\n" + strings.Repeat("text\n", 1000) + "\n"
		mbox += m
		want = append(want, "ham: "+m)
	}
	for _, c := range packers {
		packed := pack(t, c, mbox)
		temporary := t.TempDir()
		t.Setenv("TMPDIR", temporary)
		t.Setenv("TMP", temporary)
		name := filepath.Join(tree(t, map[string]string{"mail": packed}), "mail")
		source := openAs(t, name, Mbox)
		for range 2 { // a source may be used again
			check(t, string(c), contents(source), want)
		}
		left, err := os.ReadDir(temporary)
		if err != nil || len(left) > 0 && runtime.GOOS != "windows" {
			t.Errorf("the temporary folder has %v, %v", left, err)
		}
	}
}

func TestItemsOfACompressedMboxOutliveItsSource(t *testing.T) {
	const one = "From ann@example.org Thu Aug 22 12:36:23 2002\n\none\n\n"
	name := filepath.Join(tree(t, map[string]string{"mail": pack(t, gzipped, one+one)}), "mail")
	items := itemsOf(t, listMbox(system{}, name, "ham"))
	runtime.GC()
	runtime.GC()
	must(t, os.Remove(name))
	for _, item := range items {
		if got, err := readAny(item, nil); err != nil || string(got) != one {
			t.Errorf("%s: got %q, %v", item.Origin, got, err)
		}
	}
}

// The messages before the damage are read, but not the one in which it is.
func TestCompressedMboxThatIsCutOff(t *testing.T) {
	var mbox strings.Builder
	for range 3000 {
		mbox.WriteString("From ann@example.org Thu Aug 22 12:36:23 2002\n\nsome text that is not all the same\n\n")
	}
	packed := pack(t, gzipped, mbox.String())
	name := filepath.Join(tree(t, map[string]string{"mail": packed[:len(packed)/2]}), "mail")
	got := contents(listMbox(system{}, name, "ham"))
	if len(got) < 100 || len(got) > 2000 {
		t.Fatalf("got %d messages and errors, want about half of 3000", len(got))
	}
	if last := got[len(got)-1]; last != "ham! list "+name+": the gzip data is cut off: unexpected EOF" {
		t.Errorf("got %q", last)
	}
	if before := got[len(got)-2]; !strings.HasSuffix(before, "all the same\n\n") {
		t.Errorf("the last message is %q, want a whole one", before)
	}
}

// Of a small file all is read to know its format.
func TestASmallMboxThatIsCutOffIsReadUpToThere(t *testing.T) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\n\n"
	packed := pack(t, gzipped, from+"first\n\n"+from+"last\n")
	for _, damage := range []string{"", "\x00\x00", "rubbish that follows"} {
		text := packed + damage
		if damage == "" {
			text = packed[:len(packed)-4]
		}
		name := filepath.Join(tree(t, map[string]string{"mail": text}), "mail")
		source, err := OpenOnce(name, "", new([]byte))
		if err != nil {
			t.Fatal(err)
		}
		if got := contents(source); len(got) != 2 || !strings.Contains(got[0], "first") || !strings.Contains(got[1], "gzip") {
			t.Errorf("with %q behind it: got %q, want the first message and an error", damage, got)
		}
	}
}

func TestNoRoomForACopy(t *testing.T) {
	name := filepath.Join(tree(t, map[string]string{"mail": pack(t, gzipped, "From a@b.example 2002\n\nx\n")}), "mail")
	none := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", none)
	t.Setenv("TMP", none)
	got := contents(listMbox(system{}, name, "ham"))
	got = append(got, listing(t, makeTar(t, entry{name: "1", text: "one"}))...)
	for _, got := range got {
		if !strings.Contains(got, "mail: create a temporary file in "+none+": no such file") {
			t.Errorf("got %q, want an error about the copy", got)
		}
	}
	if len(got) != 2 {
		t.Errorf("got %q, want an error of the mbox and one of the tar", got)
	}
}

func TestUnpackingIsBounded(t *testing.T) {
	s, err := newTempCopy("x", strings.NewReader("0123456789"), 4)
	must(t, err)
	f, err := s.Open("x")
	must(t, err)
	got, err := io.ReadAll(f)
	if string(got) != "0123" {
		t.Errorf("got %q", got)
	}
	checkError(t, err, "unpacks to more than 4 bytes; the rest is not read")
	if _, err := s.Open("y"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v for another file", err)
	}
	file, members, damage, err := copyTar("x", strings.NewReader(makeTar(t, entry{name: "1", text: "one"}, entry{name: "2", text: strings.Repeat("two", 1000)})), 3000)
	must(t, err)
	checkError(t, damage, "unpacks to more than 3000 bytes; the rest is not read")
	if info, err := file.Stat(); members != 1 || err != nil || info.Size() > 3200 {
		t.Errorf("the copy has %d members, want the one before the limit", members)
	}
}

func TestAnyFileCanBeReadAtAnyPlace(t *testing.T) {
	root := tree(t, map[string]string{"plain": minutes, "packed": pack(t, zstandard, minutes)})
	for _, name := range []string{"plain", "packed"} {
		path := filepath.Join(root, name)
		_, f, err := openAtOffsets(system{}, path)
		must(t, err)
		got := make([]byte, 4)
		if _, err := f.ReadAt(got, 22); err != nil || string(got) != "gate" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
		if info, err := f.Stat(); err != nil || info.Size() != int64(len(minutes)) {
			t.Errorf("%s: got %v, %v", name, info, err)
		}
		if all, err := io.ReadAll(f); err != nil || string(all) != minutes {
			t.Errorf("%s: got %q, %v", name, all, err)
		}
		must(t, f.Close())
	}
}

func BenchmarkRead(b *testing.B) {
	text := minutes + strings.Repeat("Some lines of text, as many as a letter has.\n", 80)
	files := map[string]string{"plain": text}
	for _, c := range packers {
		files[string(c)] = pack(b, c, text)
	}
	root := tree(b, files)
	for _, name := range []string{"plain", "gzip", "xz", "zstd"} {
		b.Run(name, func(b *testing.B) {
			item := Item{Content: location{fsys: system{}, path: filepath.Join(root, name), message: unpackMessage}}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var raw []byte
			var err error
			for b.Loop() {
				if raw, err = readAny(item, raw); err != nil || len(raw) != len(text) {
					b.Fatal(len(raw), err)
				}
			}
		})
	}
}
