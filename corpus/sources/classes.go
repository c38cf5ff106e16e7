package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Classes is a folder whose subfolders are classes of mail.
type Classes struct {
	Names   []string // the classes, sorted
	LeftOut int      // files beside the subfolders, which belong to no class

	fsys    fs.FS
	folders []string // of each class
}

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
			c.folders = append(c.folders, folder)
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
	c.foldHamAndSpam()
	return c, nil
}

// foldHamAndSpam changes the classes to "ham" and "spam", in this order, if they are these two in any case.
func (c *Classes) foldHamAndSpam() {
	if len(c.Names) != 2 {
		return
	}
	for ham := range 2 {
		if strings.EqualFold(c.Names[ham], "ham") && strings.EqualFold(c.Names[1-ham], "spam") {
			c.Names = []string{"ham", "spam"}
			c.folders = []string{c.folders[ham], c.folders[1-ham]}
		}
	}
}

// Source lists the messages of all classes, class by class, labelled with the name of the class. It lists a class folder as
// Open lists a folder.
func (c Classes) Source() Source {
	return func(yield func(Item, error) bool) {
		for i, folder := range c.folders {
			if !(walker{c.fsys, c.Names[i], yield}).folder(folder, "") {
				return
			}
		}
	}
}
