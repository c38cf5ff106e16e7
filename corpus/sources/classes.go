package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"chaff/corpus"
)

// classes are folders of mail of one class each.
type classes struct {
	fsys    fs.FS
	folders []classFolder // in the order in which they are listed
	leftOut int           // files beside them, which belong to no class
}

type classFolder struct{ class, path string }

// openClasses opens a folder, each of whose subfolders holds the mail of one class and gives the class its name. If the only subfolders
// are ham and spam, in any case, the classes are "ham" and "spam". Names that begin with a dot are ignored; links to folders are followed.
func (p *place) openClasses() (Mail, error) {
	fsys, dir, err := p.folder()
	c := classes{fsys: fsys}
	if err == nil {
		err = c.find(dir, func(name string) string { return name }, false)
	}
	if err == nil && len(c.folders) < 2 {
		err = fmt.Errorf("needs at least two subfolders and has %d: one per class, such as ham and spam", len(c.folders))
	}
	if err != nil {
		return Mail{}, explain("open", p.path, err)
	}
	if len(c.folders) == 2 && c.areHamAndSpam() {
		c.folders = []classFolder{{Ham, c.folders[c.folder(Ham)].path}, {Spam, c.folders[c.folder(Spam)].path}}
	}
	return c.mail(p.path), nil
}

// hamAndSpam finds the folders that are ham or spam by their names, or have only such subfolders themselves: easy-ham and spam-2, or 2004/ham
// and 2004/spam. The classes are "ham" and "spam". It is not ok with any other folder.
func (p *place) hamAndSpam() (c classes, ok bool) {
	fsys, dir, err := p.folder()
	c = classes{fsys: fsys}
	return c, err == nil && c.find(dir, labelOfName, true) == nil && c.areHamAndSpam()
}

// find adds the folders in dir, whose names give their classes, or if deeper those in one that has ham and spam and nothing else.
func (c *classes) find(dir string, classOf func(name string) string, deeper bool) error {
	entries, err := fs.ReadDir(c.fsys, dir)
	if err == nil && isMaildir(c.fsys, dir) {
		err = errors.New("is a Maildir, not a folder with one subfolder per class")
	}
	for _, e := range entries {
		if isHidden(e.Name()) {
			continue
		}
		if !e.IsDir() && (e.Type()&fs.ModeSymlink == 0 || !isFolder(c.fsys, path.Join(dir, e.Name()))) {
			c.leftOut++
			continue
		}
		folder, class, within := path.Join(dir, e.Name()), classOf(e.Name()), classes{fsys: c.fsys}
		switch {
		case deeper && within.find(folder, classOf, false) == nil && within.areHamAndSpam():
			c.folders, c.leftOut = append(c.folders, within.folders...), c.leftOut+within.leftOut
		case class == "":
			return fmt.Errorf("has the folder %s, which is of no class", shorten(e.Name()))
		default:
			c.folders = append(c.folders, classFolder{class, folder})
		}
	}
	return err
}

func (c *classes) areHamAndSpam() bool { return c.folder(Ham) >= 0 && c.folder(Spam) >= 0 }

// folder returns the index of the first folder of a class, in any case, or -1.
func (c *classes) folder(class string) int {
	return slices.IndexFunc(c.folders, func(f classFolder) bool { return strings.EqualFold(f.class, class) })
}

// mail is that of the folders, class by class, each listed as OpenOnce lists a folder.
func (c classes) mail(name string) Mail {
	var names []string
	for _, f := range c.folders {
		names = append(names, f.class)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	note := fmt.Sprintf("%s: a folder for each class: %s", name, strings.Join(names, ", "))
	if c.leftOut > 0 {
		note += fmt.Sprintf("; files beside them, which are left out: %d", c.leftOut)
	}
	notes := []string{note}
	var listed []Source
	for _, f := range c.folders {
		listed = append(listed, FromFS(c.fsys, f.path, f.class))
		if len(c.folders) > len(names) || !strings.EqualFold(path.Base(f.path), f.class) {
			notes = append(notes, fmt.Sprintf("  %-9s %s", f.class, f.path))
		}
	}
	return Mail{Classes: names, Notes: notes, Source: corpus.Concat(listed...)}
}
