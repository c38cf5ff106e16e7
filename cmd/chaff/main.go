// Command chaff is a spam filter that you train on your own mail.
//
// Run `chaff help` for its commands, and `chaff demo` to see it work on built-in sample mail.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"chaff/cmd/internal/delivery"
	"chaff/internal/garbage"
)

func main() {
	limitGarbage(os.Args[1:])
	ctx, stop := interruptible(os.Args[1:])
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// maxGarbage is about how much garbage commands that read a collection may have, in bytes. Documents hold no pointers, so
// frequent collections cost little, and less garbage is a smaller process.
const maxGarbage = 16 << 20

// limitGarbage sets the garbage collector for the whole process. An explicit GOGC or GOMEMLIMIT wins. Classify and serve have a small
// heap and keep Go's default.
func limitGarbage(args []string) {
	if os.Getenv("GOGC")+os.Getenv("GOMEMLIMIT") == "" && !classifies(args) && firstWord(args) != "serve" {
		garbage.Limit(maxGarbage)
	}
}

// interruptible returns a context that an interrupt ends, except for classify, which guards its message instead.
func interruptible(args []string) (ctx context.Context, stop func()) {
	if !classifies(args) {
		return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	}
	delivery.Guard(args)
	return context.Background(), func() {}
}

// classifies reports whether args name the command classify, possibly behind misplaced flags.
func classifies(args []string) bool { return firstWord(args) == "classify" }
