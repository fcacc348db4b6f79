/*
 * egress_proxy - the URL of an HTTP proxy through which hosts of a list are reached.
 *
 *   http://[USER[:PASSWORD]@]HOST:PORT[/]
 *
 * USER and PASSWORD escape reserved bytes as %XX (RFC 3986). Errors, logs and output never contain
 * them.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_NETPOLICY_EGRESS_PROXY_H
#define GLOVEBOX_NETPOLICY_EGRESS_PROXY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "net/address.h"
#include "net/hostname.h"

#define EGRESS_PROXY_URL    1024 /* bytes at most */
#define EGRESS_PROXY_SECRET 512

struct egress_proxy {
	char name[HOST_NAME_SIZE]; /* canonical; "": `address` */
	struct address address;    /* may be private: the operator has named it */
	uint16_t port;
	char secret[EGRESS_PROXY_SECRET]; /* "USER:PASSWORD", unescaped; "": none */
};

/* egress_proxy_parse - Errors: ERR_INPUT; *out is undefined then. */
int egress_proxy_parse(const char *url, struct egress_proxy *out, struct err *e);

/* Append the URL without USER and PASSWORD: "http://10.0.0.1:3128". */
void egress_proxy_write(const char *url, struct buf *out);

#endif
