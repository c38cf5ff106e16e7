// Package limits has the limits of message sizes that several rooms share.
package limits

const (
	// MaxMessage is the size in bytes of the largest message that chaff reads. Mail systems accept 10 MB (Postfix) to 50 MB, and an
	// attachment of 25 MB, the limit of the large providers, makes a message of 36 MB. Such a message and everything derived from it fit
	// into 200 MB.
	MaxMessage = 36 << 20
	// LargeMessage is the size in bytes above which chaff reads messages one at a time and frees their memory.
	LargeMessage = 1 << 20
)
