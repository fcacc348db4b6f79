/*
 * proxy - the operator's HTTP proxy, through which hosts of the list are reached.
 *
 * We resolve its address once, before the sandbox sends anything, and do not judge it: the operator
 * has named it. The proxy resolves the names of the list, and judges their addresses.
 *
 * Touches the OS. Runs: glovebox-egress. Needs: to fork, for a proxy that has a name.
 */
#ifndef GLOVEBOX_EGRESS_PROXY_H
#define GLOVEBOX_EGRESS_PROXY_H

#include "base/buf.h"
#include "base/err.h"
#include "net/address.h"

#define PROXY_MAX_ADDRESSES 8

/* All zero: no proxy. */
struct proxy {
	struct address addresses[PROXY_MAX_ADDRESSES];
	size_t count;
	uint16_t port;
	char *secret; /* owned, the value of Proxy-Authorization (RFC 7617); NULL */
};

/*
 * proxy_open - @url: netpolicy/egress_proxy.h. Call it before cage_enter().
 *
 * A child resolves a name with getaddrinfo(3): the libraries and descriptors of that call end with
 * it. Errors: ERR_INPUT, ERR_SYSTEM, naming the proxy without user and password.
 */
int proxy_open(const char *url, struct proxy *out, struct err *e);
void proxy_close(struct proxy *p);

/*
 * proxy_request - append a CONNECT request for a host.
 * @name  canonical; NULL: `address`.
 */
void proxy_request(const struct proxy *p, const char *name, const struct address *address,
		   uint16_t port, struct buf *out);

#endif
