// Package share lets the hosts of a site teach each other: what one host has learned goes through a stream of NATS JetStream into the logs of all.
//
// The life of a record. A user moves a message on host A; chaff learn, watch or serve appends it to the log of A, and A judges with it from then on. The log is
// the outbox: share reads from it what has no place in the stream yet ([store.Outbox]), and publishes it on the subject chaff.FILTER.learn.A, with the number
// of the last record of A that the stream has: the server takes no other record of A between, and none twice. Each host, A too, takes the records of the
// stream in their order, up to 500 under one lock of its log ([store.Follow]): B learns the document, and A notes the place of its own record. The
// position is a record of the log behind them, so that both are on disk or neither; then the stream is told. What the stream says later counts, so all logs
// that have followed it to one place say the same. Only the records of a host that publishes more than its rate are learned later than those of others behind
// them: the log knows by the number of the last one what it lacks (rate.go).
//
// One host fits. It fits a model to what its log has of the stream, puts both into the object store, and names them in a key with the position, which only
// grows. Each host, it too, fetches them, lays what still waits there on top, and renames them into their place ([store.Adopt]).
//
// No other process waits for any of this.
package share
