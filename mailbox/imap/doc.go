// Package imap filters a mailbox on an IMAP server, for people who have no server of their own.
//
//	client, err := imap.Dial(ctx, account, secret, imap.DefaultOptions())
//	run, err := client.Judge(ctx, state, classify, move) // new unseen mail of the inbox
//	box, err := client.Mailbox(ctx, state)               // what package mailbox learns from
//
// Nothing is ever deleted and no message is marked as seen. [State] has the last message that was judged, by the numbers that the server gives to
// messages, and hashes of the messages that were moved. A message that comes back from the folder for spam is not moved again: its user
// wants it elsewhere. And what was moved teaches nothing ([Listing.Filed]), since no user put it there.
//
// A server can be broken or hostile, so each reply has a limit of bytes and of time, and there are limits for folders and messages. The
// names of folders are what a user wrote in any program: print them with package screen. The connection is encrypted unless the server is
// on the same machine.
package imap
