package sources

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"chaff/corpus"
)

// openThunderbird opens a folder of Thunderbird, such as a profile, whose files are ham and spam by their names, as in a mailbox of Maildirs.
func (p *place) openThunderbird(o Options) Mail {
	folders := mboxFolders(p.fsys, p.name, nil)
	var listed []Source
	for _, f := range folders {
		if f.Label != LeftOut {
			listed = append(listed, listMbox(p.fsys, f.path, f.Label))
		}
	}
	mail := Mail{NoSpam: true, Notes: []string{p.path + ":"}, Source: corpus.Concat(listed...)}
	isApart := mail.leaveOut(p.name, o.Apart)
	for _, f := range folders {
		if isApart(f.path) {
			continue
		}
		note := fmt.Sprintf("  %-9s %s", f.Label, f.path)
		if f.Reason != "" {
			note += " (" + f.Reason + ")"
		}
		mail.Notes, mail.NoSpam = append(mail.Notes, note), mail.NoSpam && f.Label != Spam
	}
	return mail
}

// mboxFolders returns the mbox files in dir, a folder of Thunderbird whose own path in the mailbox is name.
//
// QUIRK: NAME.sbd has the folders that are in the folder NAME.
func mboxFolders(fsys fs.FS, dir string, name []string) (folders []PlanFolder) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		row := unreadable(dir, err)
		row.path = dir
		folders = append(folders, row)
	}
	f := inspectFolder(fsys, dir, entries)
	for _, e := range entries {
		file, own := path.Join(dir, e.Name()), readable(strings.TrimSuffix(e.Name(), ".sbd"))
		all := append(name[:len(name):len(name)], own)
		switch {
		case e.IsDir() && f.hasMail(e.Name()):
			folders = append(folders, mboxFolders(fsys, file, all)...)
		case !e.IsDir() && f.formatOf(e.Name()) == Mbox:
			folders = append(folders, PlanFolder{Use: UseOf(all), path: file})
		}
	}
	return folders
}
