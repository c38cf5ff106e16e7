package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Classes is a folder whose subfolders are classes of mail.
type Classes struct {
	Names   []string // the classes, sorted
	LeftOut int      // files beside the subfolders, which belong to no class

	// Folders are where the mail is, in the order in which it is listed.
	Folders []ClassFolder

	fsys    fs.FS
	byNames bool // the names of the folders say the classes
}

// ClassFolder is a folder of mail of one class.
type ClassFolder struct{ Class, Path string }

// ClassFolders opens the folder name, each of whose subfolders holds the mail of one class and gives the class its name. If
// the only subfolders are ham and spam, in any case, the classes are "ham" and "spam". Files and folders with names that
// begin with a dot are ignored; links to folders are followed. Fewer than two subfolders are an error. The folder may be in
// a tar or zip archive.
func ClassFolders(name string) (Classes, error) {
	var c Classes
	fsys, dir, err := mailFolder(name)
	if err == nil {
		c, err = findClasses(fsys, dir)
	}
	if err != nil {
		return Classes{}, explain("open", name, err)
	}
	return c, nil
}

func findClasses(fsys fs.FS, dir string) (Classes, error) {
	c := Classes{fsys: fsys}
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return c, err
	}
	for _, e := range entries {
		folder := path.Join(dir, e.Name())
		switch {
		case isHidden(e.Name()):
		case isFolder(fsys, folder):
			c.Names = append(c.Names, e.Name())
			c.Folders = append(c.Folders, ClassFolder{e.Name(), folder})
		default:
			c.LeftOut++
		}
	}
	switch {
	case isMaildir(fsys, dir):
		return c, errors.New("is a Maildir, not a folder with one subfolder per class")
	case len(c.Names) < 2:
		return c, fmt.Errorf("has %d subfolders and needs at least two: one per class, such as ham and spam", len(c.Names))
	}
	for i, other := range []int{1, 0} {
		if len(c.Names) == 2 && strings.EqualFold(c.Names[i], Ham) && strings.EqualFold(c.Names[other], Spam) {
			c.Names = []string{Ham, Spam}
			c.Folders = []ClassFolder{{Ham, c.Folders[i].Path}, {Spam, c.Folders[other].Path}}
			break
		}
	}
	return c, nil
}

// HamAndSpam opens the folder name whose subfolders are ham or spam by their names, as in [Recognise], or have only such subfolders
// themselves: easy-ham and spam-2, or 2004/ham and 2004/spam. The classes are "ham" and "spam". The result is not ok for any other folder.
func HamAndSpam(name string) (c Classes, ok bool) {
	fsys, dir, err := mailFolder(name)
	if err != nil {
		return Classes{}, false
	}
	c = Classes{Names: []string{Ham, Spam}, fsys: fsys, byNames: true}
	return c, c.findHamAndSpam(dir, true)
}

// findHamAndSpam adds the folders in dir, and if deeper those in them, and reports whether they are ham and spam and nothing else.
func (c *Classes) findHamAndSpam(dir string, deeper bool) bool {
	entries, err := fs.ReadDir(c.fsys, dir)
	if err != nil || isMaildir(c.fsys, dir) {
		return false
	}
	for _, e := range entries {
		folder := path.Join(dir, e.Name())
		within := Classes{fsys: c.fsys}
		label := labelOfName(e.Name())
		switch {
		case isHidden(e.Name()):
		case !e.IsDir() && (e.Type()&fs.ModeSymlink == 0 || !isFolder(c.fsys, folder)):
			c.LeftOut++
		case deeper && within.findHamAndSpam(folder, false):
			c.Folders, c.LeftOut = append(c.Folders, within.Folders...), c.LeftOut+within.LeftOut
		case label != "":
			c.Folders = append(c.Folders, ClassFolder{label, folder})
		default:
			return false
		}
	}
	has := func(class string) bool {
		return slices.ContainsFunc(c.Folders, func(f ClassFolder) bool { return f.Class == class })
	}
	return has(Ham) && has(Spam)
}

// Source lists the messages of all classes, class by class, labelled with the name of the class. It lists a class folder as
// Open lists a folder.
func (c Classes) Source() Source {
	return func(yield func(Item, error) bool) {
		for _, f := range c.Folders {
			if !(walker{c.fsys, f.Class, yield}).folder(f.Path, "") {
				return
			}
		}
	}
}
