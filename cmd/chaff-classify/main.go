// Command chaff-classify classifies one message from stdin, as `chaff classify` does. It is for mail systems that start a
// process for each message, so it links nothing that a verdict does not need.
package main

import (
	"os"

	"chaff/cmd/internal/delivery"
)

func main() {
	delivery.StartFast()
	delivery.Guard(os.Args[1:])
	os.Exit(delivery.Main(os.Args[1:], os.Environ(), delivery.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
