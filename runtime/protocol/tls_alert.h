/*
 * tls_alert - tell whether a program refuses the server's TLS certificate.
 *
 * The client's first record after the server's hello tells: in TLS 1.2 an alert about a certificate
 * (RFC 5246 7.2.2); in TLS 1.3 an encrypted record of the size of an alert, where a client that
 * accepts sends its longer Finished (RFC 8446 4.4.4).
 *
 * No side effects. Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_PROTOCOL_TLS_ALERT_H
#define GLOVEBOX_PROTOCOL_TLS_ALERT_H

#include <stddef.h>
#include <stdint.h>

#define TLS_ALERT_LOOK 64 /* bytes to look at */

enum tls_alert {
	TLS_ALERT_NONE, /* no such alert, and later bytes cannot tell */
	TLS_ALERT_MORE, /* undecided: look at the bytes after these */
	TLS_ALERT_CERTIFICATE,
};

/* @bytes: from the start of a record; hostile. */
enum tls_alert tls_alert_look(const uint8_t *bytes, size_t size);

#endif
