// Command chaff-classify classifies one message from stdin, as `chaff classify` does. It is for mail systems, which start
// a process for each message: it is linked with nothing that a verdict does not need.
package main

import "chaff/internal/delivery"

func main() { delivery.Program() }
