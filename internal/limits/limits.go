// Package limits holds the sizes of messages that several rooms must agree on.
package limits

const (
	// MaxMessage is the size in bytes of the largest message that chaff reads, whatever its source. Mail systems accept 10 MB
	// (Postfix) to 50 MB, and the largest attachment of the large providers, 25 MB, makes a message of 36 MB. A message of this
	// size, a copy of it and everything made of it fit into 200 MB.
	MaxMessage = 36 << 20
	// LargeMessage is the size in bytes above which a message does not keep the memory that it took, and waits until no other
	// large message is being read.
	LargeMessage = 1 << 20
)
