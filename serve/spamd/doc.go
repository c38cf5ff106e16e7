// Package spamd speaks the protocol of SpamAssassin's spamd, SPAMC/SPAMD 1.0 to 1.5, so that spamc, Exim and other clients of spamd work
// unchanged. A client sends one request, and gets one reply.
//
// Replies have the bytes of spamd, apart from what follows from the verdict. Score and threshold are those of the model with one decimal.
// Only spam is True: an unsure message is False. A message over a limit is no spam, its symbol is CHAFF_UNJUDGED, and PROCESS and HEADERS add
// the field X-Chaff-Unjudged. PROCESS of a message too large to be kept is an error, at which spamc passes on the message that it has. So is any
// request when the daemon is too busy or stops.
//
// Other than with spamd, the request line begins with the command, so no request of a browser is obeyed. A reply does not wait for the end
// of a line or of the connection when Content-length bytes have come. Compressed messages are refused, and a Message-class other than ham and
// spam is an error. There are no remote databases: "Set: remote" does nothing. The client of HEADERS joins the header to the body that it has, so a
// message whose header ends elsewhere for other programs keeps what it has there; PROCESS changes it.
package spamd
