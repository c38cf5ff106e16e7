// Package mailbox compares a mailbox of Maildirs with a log, teaches the log what the mailbox says, and finds labels to doubt.
//
// The folders of a mailbox are its user's labels: [sources.MaildirTree] says which hold spam, which ham, and which are left out. [Learn]
// learns the messages whose file is new or has moved between ham and spam since the mailbox was last compared with the log. [Watch] does
// the same as it happens.
//
//	box, err := mailbox.Open("/home/ann/Maildir")
//	account, err := box.Learn(ctx, store, mailbox.LearnOptions{})
//
// [Of] makes a mailbox of other folders, such as those of an IMAP server in package mailbox/imap.
//
// A message that is gone from the mailbox stays learned, except ham that was only read and is deleted within a week. The package writes nothing in
// a mailbox.
package mailbox
