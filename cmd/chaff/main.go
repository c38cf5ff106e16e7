// Command chaff is a spam filter that is trained on its user's own mail.
//
// Run `chaff help` for its commands, and `chaff demo` to see it work on the mail that is part of the program.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
