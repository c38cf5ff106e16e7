package serve

import (
	"context"
	"errors"
	"net"
	"time"
)

// Accept accepts clients of a protocol until ctx ends, and closes l. It tries again after an error, such as too many open files, unless
// somebody else has closed l. It gives warn such an error once.
func Accept(ctx context.Context, l net.Listener, begin func(net.Conn), warn func(error)) error {
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	defer l.Close()
	pause := time.Duration(0)
	for {
		conn, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			if conn != nil {
				begin(conn)
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil:
			if pause == 0 {
				warn(err)
			}
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(pause):
			}
		default:
			pause = 0
			begin(conn)
		}
	}
}
