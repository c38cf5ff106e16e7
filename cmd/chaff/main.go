// Command chaff is a spam filter that is trained on its user's own mail.
//
// Run `chaff help` for its commands, and `chaff demo` to see it work on the mail that is part of the program.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"chaff/cmd/internal/delivery"
)

func main() {
	ctx, stop := interruptible(os.Args[1:])
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// interruptible returns a context that ends with an interrupt, but for classify.
func interruptible(args []string) (ctx context.Context, stop func()) {
	if !classifies(args) {
		return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	}
	delivery.Guard(args)
	return context.Background(), func() {}
}

// classifies reports whether these are arguments of classify, if need be behind flags that it does not have there.
func classifies(args []string) bool {
	for _, arg := range args {
		if len(arg) == 0 || arg[0] != '-' {
			return arg == "classify"
		}
	}
	return false
}
