//go:build linux && (amd64 || arm64)

package delivery

import (
	"runtime/debug"
	"syscall"
	"unsafe"
)

// Guard prepares a process that classifies a message by these arguments for a crash or a signal: neither looks like a verdict,
// and with --pass the message comes out. It must be called first.
func Guard(args []string) {
	asked := parse(args)
	held.code.Store(int64(asked.codes().trouble))
	debug.SetTraceback("crash")
	signals := []syscall.Signal{syscall.SIGABRT}
	if asked.Pass {
		signals = append(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGALRM, syscall.SIGTERM, syscall.SIGXCPU, syscall.SIGVTALRM)
	}
	for _, s := range signals { // but those that the process ignores; none interrupts the handler
		ours := sigaction{handler: rescuePC(), flags: saOnStack | saRestorer, restorer: rescuePC(), mask: ^uint64(0)}
		var before sigaction
		syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&ours)), uintptr(unsafe.Pointer(&before)), 8, 0, 0)
		if before.handler == sigIgnore {
			syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&before)), 0, 8, 0, 0)
		}
	}
}

// sigaction is struct sigaction of the kernel. Package os/signal cannot replace it, because it calls Go code.
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const (
	saOnStack, saRestorer = 0x08000000, 0x04000000
	sigIgnore             = 1
)

// rescuePC returns the address of the handler.
func rescuePC() uintptr
