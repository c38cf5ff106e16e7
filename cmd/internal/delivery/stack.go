package delivery

// growStack gives the goroutine a stack of 64 KB at once. Growing from 2 KB by doubling touches all pages of a pool of stacks of each size.
//
//go:noinline
func growStack(never bool) {
	if never {
		var room [40 << 10]byte
		touch(room[:])
	}
}

//go:noinline
func touch(b []byte) { clear(b) }
