// Package milter judges mail for Postfix, Sendmail and other servers that speak the milter protocol, versions 2 to 6.
//
// The server sends each message before it accepts it, and is told what to change in the header: the fields of chaff classify --pass are inserted at
// the top, and forged ones removed. A field that is forged only for some programs loses its name, as [filter.Filter.Passed] has it; Sendmail
// then puts it at another place. A message for several recipients is judged with the shared model, since all get the same fields.
//
// What is judged has line ends of CR LF, fields in the order and with the bytes that the server sends, and not the Received field that the
// server itself adds. Two differences from the delivered message remain: nobody sees a blank before the colon of a field, and servers that do not offer
// to send the blank behind it, such as Postfix with milter_protocol below 6, make "X-Odd:value" look like "X-Odd: value".
package milter
