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
	ctx, args := context.Background(), os.Args[1:]
	command := firstWord(args)
	limitGarbage(command)
	if command == "classify" {
		delivery.Guard(args) // an interrupt does not end it before its message is out
	} else {
		ctx, _ = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	}
	os.Exit(run(ctx, args, os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// maxGarbage is about how much garbage commands that read a collection may have, in bytes. Documents hold no pointers, so
// frequent collections cost little, and less garbage is a smaller process.
const maxGarbage = 16 << 20

// limitGarbage sets the garbage collector for the whole process. An explicit GOGC or GOMEMLIMIT wins. Classify and serve have a small
// heap and keep Go's default.
func limitGarbage(command string) {
	if os.Getenv("GOGC")+os.Getenv("GOMEMLIMIT") == "" && command != "classify" && command != "serve" {
		garbage.Limit(maxGarbage)
	}
}
