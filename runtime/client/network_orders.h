/*
 * network_orders - read and replace the network list of a running session, and read its counters.
 *
 * We ask glovebox-egress over a copy of its control socket, which the supervisor provides: the
 * session is not involved, and may be busy or frozen.
 *
 * @where  the supervisor (wire/runtime_dir.h).
 * @name   of the session.
 * Errors of all: ERR_NOT_FOUND, ERR_GONE: it has ended; ERR_INPUT: the session was started without
 * a network.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_NETWORK_ORDERS_H
#define GLOVEBOX_CLIENT_NETWORK_ORDERS_H

#include "base/err.h"
#include "netpolicy/egress.h"
#include "netpolicy/egress_summary.h"

/* Read the list. @out: on success end with egress_free(). */
int network_orders_show(const char *where, const char *name, struct egress_spec *out,
			struct err *e);

/*
 * Replace the list, and end connections that the new one does not allow.
 * Errors: also ERR_INPUT: this sandbox has no listener for a port.
 */
int network_orders_replace(const char *where, const char *name, const struct egress_spec *list,
			   struct err *e);

/* Read the counters so far. @out: on success end with egress_summary_fini(). */
int network_orders_summarize(const char *where, const char *name, struct egress_summary *out,
			     struct err *e);

#endif
