// Command chaff-classify classifies one message from stdin, as `chaff classify` does. It is for mail systems, which start
// a process for each message: it is linked with nothing that a verdict does not need.
package main

import "chaff/cmd/internal/delivery"

func main() {
	growStack()
	delivery.Program()
}

// growStack makes room on the stack for all that comes, while there is next to nothing on it: to grow step by step, and be
// looked through and copied each time, takes 0.1 of 3.2 ms.
//
//go:noinline
func growStack() (sum byte) {
	var room [24 << 10]byte
	for i := 0; i < len(room); i += len(room) - 1 {
		sum += room[i]
	}
	return sum
}
