// Command chaff-classify classifies one message from stdin, as `chaff classify` does. It is for mail systems that start a
// process for each message, so it links nothing that a verdict does not need.
package main

import "chaff/cmd/internal/delivery"

func main() { delivery.Program() }
