// Package lmtp is a proxy between a mail server and the program that delivers its mail, the backend. Both speak LMTP (RFC 2033); the backend
// may speak SMTP instead. Every message that passes gets the fields of its verdict.
//
// Each MAIL and RCPT is passed on as it comes, and so is the answer, in a session with the backend for each client. The proxy keeps no mail: a
// recipient's 250 is that of the backend, so whatever ends the proxy before that leaves the message with the mail server, which sends it again.
// If the proxy ends between the answer of the backend and its own, the message is delivered twice. If recipients of a message are judged by
// different models, there is a transaction for each model, one after the other.
//
// A message leaves as it came, apart from the fields, whatever its bytes and however long its lines. Only CR LF "." CR LF ends it. Some
// backends take other lines for the end, which would let a sender begin a second message within the first. So in one case a byte is added: a
// line of a single dot whose line ends are not CR LF begins with CR LF afterwards.
package lmtp
