package sources

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"

	"chaff/corpus"
)

// Opener opens many paths, one after the other, as [Open] does. It keeps the content of a file until it opens the next path, so that a file
// is opened and read once: to recognise its format, to find the messages in it, and to read them. Items that are read later read the file
// again. The zero value is ready.
type Opener struct {
	mu      sync.Mutex // several goroutines may read the items
	opened  int        // how many paths
	content []byte     // of the file at the last one
}

// Open opens a path.
func (o *Opener) Open(name, label string, as Format) (Source, error) {
	source, _, err := o.open(name, label, as, corpus.LargeMessageBytes)
	return source, err
}

// open opens a path, and keeps the content of a file of at most the given size. Unless that is 0, the source finds the format of a folder, so
// that the folder is listed once.
func (o *Opener) open(name, label string, as Format, keep int64) (Source, Found, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opened++
	o.content = o.content[:0]
	fail := func(err error) (Source, Found, error) { return nil, Found{}, explain("open", name, err) }
	if name == "" {
		return fail(errors.New("the path is empty"))
	}
	clean := filepath.Clean(name) // as all later reads have it: link/../x is x
	f, err := openFile(clean)
	if err != nil {
		return fail(err)
	}
	defer f.close()
	mode, size, err := f.stat()
	if err != nil {
		return fail(err)
	}
	var fsys fs.FS = system{}
	var content kept
	var found Found
	var noMail error
	switch {
	case mode.IsDir() && keep > 0 && as == "":
	case mode.IsDir():
		found, err = detectFolder(fsys, clean)
	case mode&fs.ModeNamedPipe != 0:
		if fsys, err = copyPipe(name); err != nil {
			return nil, Found{}, explain("read", name, err)
		}
		found, err = detect(fsys, name)
	case !mode.IsRegular():
		err = errSpecial
	case size <= keep:
		if o.content, err = readSized(f, o.content, size); err == nil {
			content = kept{o, o.opened}
			found, noMail, err = detectFile(o.content, f, name)
		}
	default:
		var head []byte
		if head, err = readHead(f); err == nil {
			found, noMail, err = detectFile(head, f, name)
		}
	}
	if err == nil && as != "" {
		found, err = found.overridden(name, as)
	}
	if err == nil && found.Format == Message {
		err = noMail
	}
	if err != nil {
		return fail(err)
	}
	return listKept(fsys, clean, label, found.Format, content), found, nil
}

// kept is the content of a file while its Opener keeps it.
type kept struct {
	by     *Opener
	opened int
}

// use calls do with the content, if it is still kept.
func (k kept) use(do func(content []byte)) bool {
	if k.by == nil {
		return false
	}
	k.by.mu.Lock()
	defer k.by.mu.Unlock()
	if k.opened != k.by.opened {
		return false
	}
	do(k.by.content)
	return true
}

// mbox returns what scans the content as scanMbox does, if it is still kept and not compressed.
func (k kept) mbox() (scan func(emit func(mboxMessage) bool) error, ok bool) {
	var all []mboxMessage
	var err error
	k.use(func(content []byte) {
		if ok = compressionOf(content) == uncompressed; ok {
			s := newMboxScanner(func(m mboxMessage) bool { all = append(all, m); return true })
			s.take(content, true)
			err = s.end()
		}
	})
	return func(emit func(mboxMessage) bool) error {
		for _, m := range all {
			if !emit(m) {
				return nil
			}
		}
		return err
	}, ok
}

// at returns the content of the message at a location in the file.
func (k kept) at(l location) corpus.Content {
	if k.by == nil {
		return l
	}
	return keptLocation{l, k}
}

// keptLocation is a location in a file whose content may be kept.
type keptLocation struct {
	location
	kept
}

// Append is [location.Append].
func (l keptLocation) Append(dst []byte) ([]byte, error) {
	if !l.use(func(content []byte) {
		if l.size > 0 {
			content = content[l.offset : l.offset+l.size]
		}
		dst = append(dst, content...)
	}) {
		return l.location.Append(dst)
	}
	return l.message(dst)
}
