// Package spamd speaks the protocol of SpamAssassin's spamd, SPAMC/SPAMD 1.0 to 1.5, so that spamc, Exim and other clients of spamd work
// unchanged.
//
// A client sends one request, and gets one reply:
//
//	CHECK          is it spam: "Spam: True ; SCORE / THRESHOLD"
//	SYMBOLS        the same and CHAFF_HAM, CHAFF_UNSURE or CHAFF_SPAM
//	REPORT         the same and a text with the verdict and the probability, from version 1.3 on also the terms that count most
//	REPORT_IFSPAM  the text only if the message is spam
//	PROCESS        the message with the fields of chaff classify --pass
//	HEADERS        the header of that message
//	TELL           learn or forget the message
//	PING, SKIP     PONG, and nothing
//
// Replies have the bytes of spamd, apart from what follows from the verdict. Score and threshold are those of the model with one decimal.
// Only spam is True: an unsure message is False.
//
// # Without a verdict
//
// A message that is too large, takes too long or meets a fault of the program is not held up: it is no spam, its symbol is CHAFF_UNJUDGED,
// and PROCESS and HEADERS add the field X-Chaff-Unjudged. PROCESS of a message too large to be kept is an error, at which spamc passes on
// the message that it has. So is any request when the daemon is too busy or stops: the client may try again.
//
// # Departures from spamd
//
// The request line begins with the command, so no request of a browser is obeyed. Lines may end in LF. A reply does not wait for the end
// of a line or of the connection when Content-length bytes have come. Compressed messages are refused, and a Message-class other than ham and
// spam is an error. There are no remote databases: "Set: remote" does nothing.
//
// # HEADERS
//
// The client joins the header to the body that it has. So a message whose header ends elsewhere for other programs keeps what it has
// there; PROCESS changes it.
package spamd
