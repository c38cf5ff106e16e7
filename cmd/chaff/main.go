// Command chaff is a spam filter that is trained on its user's own mail.
//
// Run `chaff help` for its commands, and `chaff demo` to see it work on the mail that is part of the program.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"chaff/internal/delivery"
)

func main() {
	ctx, stop := interruptible(os.Args[1:])
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// interruptible returns a context that ends with an interrupt, but for classify.
func interruptible(args []string) (ctx context.Context, stop func()) {
	if len(args) == 0 || args[0] != "classify" {
		return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	}
	delivery.MindInterrupts(args)
	return context.Background(), func() {}
}
