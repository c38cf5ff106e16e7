// Package serve is the engine of the daemon: one model in memory that judges messages for all protocols, and learns.
//
// A protocol reads a message, asks [Engine.Judge], and answers or passes the message on:
//
//	v, err := e.Judge(ctx, from, raw)
//	if err != nil {
//		return err // a temporary one
//	}
//	return v.Passed(raw) // without a verdict, it has a field that says why
//
// [Engine.Learn] and [Engine.Forget] teach the log of the model; when they return, the next message is judged with it. The engine also
// notices when another program changes the model or its log. A model that is replaced stays in memory until the last judgement with it
// ends, so no request is lost.
//
// # Users
//
// With a folder of users, each user has a model with a log of its own, NAME/model, which begins with the first message that the user
// teaches. The log odds by which it finds a message more like spam than the mail of the shared model are added to the score of that. Without a
// folder, names of users mean nothing and all teach the shared model.
//
// # Limits
//
// A message over a limit gets an error of this package ([ErrTooLarge], [ErrBusy], [ErrTimeout], [ErrInternal], [ErrClosed]) at once, is
// counted, and can be passed on unjudged. As many messages are judged at a time as there are cores, and one large one beside them.
//
// All methods are safe for concurrent use.
package serve
