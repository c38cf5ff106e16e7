// Package load tests chaff serve under load: how many messages a second it judges, beside SpamAssassin's spamd, whether its memory stays flat, and
// whether idle and slow clients harm others. The tests are skipped unless TEST_LOAD has the number of messages to send.
package load
