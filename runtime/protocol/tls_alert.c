/*
 * tls_alert - tell whether a program refuses the server's TLS certificate.
 */
#include "protocol/tls_alert.h"

#include <stdbool.h>

#define HEADER 5 /* type, version, length */

enum { CHANGE_CIPHER_SPEC = 20, ALERT = 21, APPLICATION_DATA = 23 };

/* Alerts: bad, unsupported, revoked, expired, unknown certificate, unknown authority. */
static bool tls_alert_is_of_certificate(uint8_t description)
{
	const uint8_t first = 42;
	const uint8_t illegal_parameter = 47;
	const uint8_t unknown_ca = 48;

	return description >= first && description <= unknown_ca &&
	       description != illegal_parameter;
}

/* @body: of the record, possibly incomplete. */
static enum tls_alert tls_alert_judge(uint8_t type, size_t length, const uint8_t *body, size_t have)
{
	const size_t plain = 2;
	const size_t sealed = plain + 1 + 16; /* its type, and the tag of common ciphers */
	bool is = false;

	if (type == ALERT)
		is = length == plain && have >= plain && tls_alert_is_of_certificate(body[1]);
	if (type == APPLICATION_DATA)
		is = length == sealed;
	return is ? TLS_ALERT_CERTIFICATE : TLS_ALERT_NONE;
}

enum tls_alert tls_alert_look(const uint8_t *bytes, size_t size)
{
	while (size >= HEADER) {
		const size_t length = (size_t)bytes[3] << 8 | bytes[4];
		const uint8_t type = bytes[0];

		bytes += HEADER;
		size -= HEADER;
		if (type != CHANGE_CIPHER_SPEC)
			return tls_alert_judge(type, length, bytes, size);
		if (size < length)
			return TLS_ALERT_NONE;
		bytes += length;
		size -= length;
	}
	return size ? TLS_ALERT_NONE : TLS_ALERT_MORE;
}
