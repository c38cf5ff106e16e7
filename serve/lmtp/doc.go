// Package lmtp is a proxy between a mail server and the program that delivers its mail, the backend. Both speak LMTP (RFC 2033); the backend
// may speak SMTP instead, such as a Postfix that takes judged mail back. Every message that passes gets the fields of its verdict.
//
//	Postfix -> chaff serve --lmtp -> Dovecot
//
// # Who answers
//
// The backend does: each MAIL and RCPT is passed on as it comes, and so is the answer. A session has a connection of its own to the backend,
// and offers those extensions of the backend that the proxy can pass on: 8BITMIME, DSN, ENHANCEDSTATUSCODES, SIZE, SMTPUTF8. It
// offers PIPELINING itself.
//
// # No message is lost
//
// The proxy keeps no mail. A recipient's 250 is that of the backend, so whatever ends the proxy before that leaves the message with the mail
// server, which sends it again. If the proxy ends between the answer of the backend and its own, the message is delivered twice.
//
// If the backend is away, or the engine is busy, the answer is a temporary error. A message that is too large, takes too long or meets a fault
// of the program passes unchanged with the field X-Chaff-Unjudged. The exception is a message whose header alone is too large: a forged
// verdict could follow, so the mail server keeps it, as chaff classify --pass leaves it with the mail server.
//
// # Bytes
//
// A message leaves as it came, apart from the fields, whatever its bytes and however long its lines. Only CR LF "." CR LF ends it. Some
// backends take other lines for the end, which would let a sender begin a second message within the first. So in one case a byte is added: a
// line of a single dot whose line ends are not CR LF begins with CR LF afterwards. Mail servers let no such line through, unless told to.
//
// # Users
//
// With serve.users, each recipient is a user ([serve.UserOf]). If the recipients of a message are judged by different models, there is a
// transaction with the backend for each model, one after the other, and each recipient gets the answer of its own.
package lmtp
