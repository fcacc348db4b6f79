/*
 * proxy - the HTTP proxy through which hosts of the list are reached, where there is one.
 *
 * Its address is found out once, before anything of the sandbox is here, and is not judged: who
 * runs the machine has named it. What a name of the list is then is the proxy's to say, and which
 * addresses are reached is its to judge.
 *
 * Touches the OS. Runs: glovebox-egress. Needs: to fork, for a proxy that has a name.
 */
#ifndef GLOVEBOX_EGRESS_PROXY_H
#define GLOVEBOX_EGRESS_PROXY_H

#include "base/address.h"
#include "base/buf.h"
#include "base/err.h"

#define PROXY_MAX_ADDRESSES 8

/* All zero is none. */
struct proxy {
	struct address addresses[PROXY_MAX_ADDRESSES];
	size_t count;
	uint16_t port;
	char *secret; /* owned, as Proxy-Authorization has it (RFC 7617); NULL */
};

/*
 * proxy_open - @url: spec/egress_proxy.h. Before the cage (egress/cage.h).
 *
 * A name is asked for with getaddrinfo(3), in a child: what that loads and leaves open is gone with
 * it. Errors: ERR_INPUT, ERR_SYSTEM, naming the proxy and not who we are to it.
 */
int proxy_open(const char *url, struct proxy *out, struct err *e);
void proxy_close(struct proxy *p);

/*
 * proxy_request - append what asks it for a connection to a host.
 * @name  canonical; NULL: `address`.
 */
void proxy_request(const struct proxy *p, const char *name, const struct address *address,
		   uint16_t port, struct buf *out);

#endif
