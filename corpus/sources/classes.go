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
	LeftOut int      // files that lie beside the subfolders and belong to no class

	fsys    fs.FS
	folders []string // of each class
}

// ClassFolders looks at the folder name, each subfolder of which holds the mail of
// one class and gives it its name. Two folders that are called ham and spam, in
// any case, give the classes "ham" and "spam". Files and folders whose names begin
// with a dot are ignored; links to folders are followed. Fewer than two subfolders
// are an error. The folder may be in a tar or zip archive.
func ClassFolders(name string) (Classes, error) {
	fsys, dir, err := mailFolder(name)
	if err != nil {
		return Classes{}, explain("open", name, err)
	}
	c, err := findClasses(fsys, dir)
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
		if isHidden(e.Name()) {
			continue
		}
		folder := path.Join(dir, e.Name())
		if !isFolder(fsys, folder) {
			c.LeftOut++
			continue
		}
		c.Names = append(c.Names, e.Name())
		c.folders = append(c.folders, folder)
	}
	switch {
	case isMaildir(fsys, dir):
		return c, errors.New("is one Maildir, where one folder per class is needed")
	case len(c.Names) < 2:
		return c, fmt.Errorf("%d subfolders, where at least two are needed: one for each class, such as ham and spam", len(c.Names))
	}
	c.foldHamAndSpam()
	return c, nil
}

// foldHamAndSpam writes ham and spam in lower case if they are all the classes.
func (c *Classes) foldHamAndSpam() {
	ham := slices.IndexFunc(c.Names, func(s string) bool { return strings.EqualFold(s, "ham") })
	spam := slices.IndexFunc(c.Names, func(s string) bool { return strings.EqualFold(s, "spam") })
	if len(c.Names) == 2 && ham >= 0 && spam >= 0 {
		c.Names = []string{"ham", "spam"}
		c.folders = []string{c.folders[ham], c.folders[spam]}
	}
}

// Source lists the messages of all classes, class by class, with the name of the
// class as label. A class folder is listed as Open lists a folder.
func (c Classes) Source() Source {
	return func(yield func(Item, error) bool) {
		for i, folder := range c.folders {
			if !(walker{c.fsys, c.Names[i], yield}).folder(folder, "") {
				return
			}
		}
	}
}
