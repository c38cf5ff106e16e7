package confine

import (
	"fmt"
	"time"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// What the process may do in a folder: neither run programs, nor make devices or links.
const (
	readFile    = landlock.AccessFSSet(ll.AccessFSReadFile)
	removeFile  = landlock.AccessFSSet(ll.AccessFSRemoveFile)
	writeFolder = readFile | removeFile | ll.AccessFSReadDir | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSMakeReg | ll.AccessFSMakeDir | ll.AccessFSRemoveDir
)

// Process confines the process to its rights, as far as the kernel can, and to programs without more rights. It returns the version of Landlock, 0
// without one.
func Process(r Rights) (version int, err error) {
	_, _ = time.Now().Zone() // reads the file of the time zone, which is lost afterwards
	if err := ll.AllThreadsPrctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("renounce new privileges: %w", err)
	}
	if version, err = ll.LandlockGetABIVersion(); err != nil { // the kernel has none
		return 0, nil
	}
	rules := []landlock.Rule{
		landlock.PathAccess(writeFolder, r.Folders...).IgnoreIfMissing(),
		landlock.PathAccess(readFile, r.Files...).IgnoreIfMissing(),
		landlock.PathAccess(removeFile, r.Sockets...).IgnoreIfMissing(),
	}
	for _, port := range r.Ports {
		rules = append(rules, landlock.ConnectTCP(port))
	}
	if err := landlock.V7.BestEffort().Restrict(rules...); err != nil { // the newest version that the tests have run on
		return 0, fmt.Errorf("confine the process: %w", err)
	}
	return version, nil
}
