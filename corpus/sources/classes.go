package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// classes are folders of mail of one class each.
type classes struct {
	fsys    fs.FS
	folders []classFolder // in the order in which they are listed
	leftOut int           // files beside them, which belong to no class
}

type classFolder struct{ class, path string }

// openClasses opens the folder name, each of whose subfolders holds the mail of one class and gives the class its name. If the only subfolders
// are ham and spam, in any case, the classes are "ham" and "spam". Names that begin with a dot are ignored; links to folders are followed.
func (p *place) openClasses(Options) (Mail, error) {
	c, err := p.classFolders()
	if err != nil {
		return Mail{}, explain("open", p.path, err)
	}
	return c.mail(p.path), nil
}

func (p *place) classFolders() (c classes, err error) {
	fsys, dir, err := p.folder()
	if err != nil {
		return c, err
	}
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return c, err
	}
	c.fsys = fsys
	for _, e := range entries {
		folder := path.Join(dir, e.Name())
		switch {
		case isHidden(e.Name()):
		case isFolder(fsys, folder):
			c.folders = append(c.folders, classFolder{e.Name(), folder})
		default:
			c.leftOut++
		}
	}
	named := func(class string) int {
		return slices.IndexFunc(c.folders, func(f classFolder) bool { return strings.EqualFold(f.class, class) })
	}
	switch ham, spam := named(Ham), named(Spam); {
	case isMaildir(fsys, dir):
		return c, errors.New("is a Maildir, not a folder with one subfolder per class")
	case len(c.folders) < 2:
		return c, fmt.Errorf("has %d subfolders and needs at least two: one per class, such as ham and spam", len(c.folders))
	case len(c.folders) == 2 && ham >= 0 && spam >= 0:
		c.folders = []classFolder{{Ham, c.folders[ham].path}, {Spam, c.folders[spam].path}}
	}
	return c, nil
}

// openHamAndSpam opens the folder name whose subfolders are ham or spam by their names, or have only such subfolders
// themselves: easy-ham and spam-2, or 2004/ham and 2004/spam. The classes are "ham" and "spam".
func (p *place) openHamAndSpam(Options) (Mail, error) {
	c, _ := p.hamAndSpam()
	mail := c.mail(p.path)
	for _, f := range c.folders {
		if len(c.folders) > 2 || filepath.Base(f.path) != f.class {
			mail.Notes = append(mail.Notes, fmt.Sprintf("  %-9s %s", f.class, f.path))
		}
	}
	return mail, nil
}

// hamAndSpam finds the folders of ham and spam. It is not ok with any other folder.
func (p *place) hamAndSpam() (c classes, ok bool) {
	fsys, dir, err := p.folder()
	c = classes{fsys: fsys}
	return c, err == nil && c.find(dir, true)
}

// find adds the folders in dir, and if deeper those in them, and reports whether they are ham and spam and nothing else.
func (c *classes) find(dir string, deeper bool) bool {
	entries, err := fs.ReadDir(c.fsys, dir)
	if err != nil || isMaildir(c.fsys, dir) {
		return false
	}
	for _, e := range entries {
		folder := path.Join(dir, e.Name())
		within := classes{fsys: c.fsys}
		label := labelOfName(e.Name())
		switch {
		case isHidden(e.Name()):
		case !e.IsDir() && (e.Type()&fs.ModeSymlink == 0 || !isFolder(c.fsys, folder)):
			c.leftOut++
		case deeper && within.find(folder, false):
			c.folders, c.leftOut = append(c.folders, within.folders...), c.leftOut+within.leftOut
		case label != "":
			c.folders = append(c.folders, classFolder{label, folder})
		default:
			return false
		}
	}
	has := func(class string) bool {
		return slices.ContainsFunc(c.folders, func(f classFolder) bool { return f.class == class })
	}
	return has(Ham) && has(Spam)
}

// mail is that of the folders, class by class, each listed as Open lists a folder.
func (c classes) mail(name string) Mail {
	var names []string
	for _, f := range c.folders {
		if !slices.Contains(names, f.class) {
			names = append(names, f.class)
		}
	}
	slices.Sort(names)
	note := fmt.Sprintf("%s: a folder for each class: %s", name, strings.Join(names, ", "))
	switch {
	case c.leftOut == 1:
		note += "; left out: 1 file beside them"
	case c.leftOut > 1:
		note += fmt.Sprintf("; left out: %d files beside them", c.leftOut)
	}
	return Mail{Classes: names, Notes: []string{note}, Source: func(yield func(Item, error) bool) {
		for _, f := range c.folders {
			if !(walker{c.fsys, f.class, yield}).folder(f.path, "", nil) {
				return
			}
		}
	}}
}
