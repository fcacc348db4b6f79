/*
 * tls_alert - does a program refuse the certificate that a server of TLS has shown?
 *
 * Its first words behind the server's hello tell: in TLS 1.2 an alert that names a certificate
 * (RFC 5246 7.2.2); in TLS 1.3 an encrypted record of the size of an alert, where one that agrees
 * sends its Finished (RFC 8446 4.4.4), which is longer.
 *
 * No side effects. Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_TLS_ALERT_H
#define GLOVEBOX_EGRESS_TLS_ALERT_H

#include <stddef.h>
#include <stdint.h>

#define TLS_ALERT_LOOK 64 /* bytes are enough */

enum tls_alert {
	TLS_ALERT_NONE, /* nor will there be one that could be told */
	TLS_ALERT_MORE, /* a record that says nothing: what comes behind these bytes counts */
	TLS_ALERT_CERTIFICATE,
};

/* @bytes  from the begin of a record; hostile. */
enum tls_alert tls_alert_look(const uint8_t *bytes, size_t size);

#endif
