// Package milter judges mail for Postfix, Sendmail and other servers that speak the milter protocol, versions 2 to 6.
//
// The server sends each message before it accepts it, and is told what to change:
//
//	a verdict                  the fields of chaff classify --pass are inserted at the top, and forged ones removed
//	no verdict                 the field X-Chaff-Unjudged instead: the message was too large, took too long, or met a fault of the program
//	too busy, or stopping      451: the sender tries again
//	serve.milter_quarantine    spam of at least this probability is kept by the server instead of being delivered
//	serve.milter_reject        spam of at least this probability is refused with 550
//
// The rest of the message stays as the server has it. A message with more than 200 forged fields is refused, since Postfix reads it anew for each.
// A field that is forged only for some programs loses its name, as [filter.Filter.Passed] has it; Sendmail then puts it at another place. A
// message whose header alone is over serve.max_message gets a temporary error: a forged verdict could be in the part that chaff does not keep.
//
// # Users
//
// A message for one recipient is judged with the model of this user, whose name is the address ([serve.UserOf]). One for several recipients
// is judged with the shared model, since all get the same fields.
//
// # What is judged
//
// The message has line ends of CR LF, fields in the order and with the bytes that the server sends, and not the Received field that the
// server itself adds. Two differences from the delivered message remain: nobody sees a blank before the colon of a field, and servers that do not offer
// to send the blank behind it, such as Postfix with milter_protocol below 6, make "X-Odd:value" look like "X-Odd: value".
//
// # The end
//
// When the daemon stops, messages that have begun are finished; connections between two messages are closed, and the server then does what
// its setting for a missing filter says (milter_default_action in Postfix).
package milter
