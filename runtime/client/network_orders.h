/*
 * network_orders - the network of a session that runs: its list of hosts, and what became of it.
 *
 * The process that serves its network is asked, through a copy of its control socket that the
 * supervisor gives: the session itself notices nothing, and may be busy or frozen.
 *
 * @where  the supervisor (wire/runtime_dir.h).
 * @name   of the session.
 * Errors of all: ERR_NOT_FOUND, ERR_GONE: it has ended; ERR_INPUT: it was started without a
 * network.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_NETWORK_ORDERS_H
#define GLOVEBOX_CLIENT_NETWORK_ORDERS_H

#include "base/err.h"
#include "spec/egress.h"
#include "spec/egress_summary.h"

/* Read it. @out  on success end with egress_free(). */
int network_orders_show(const char *where, const char *name, struct egress_spec *out,
			struct err *e);

/*
 * Replace it; connections that it no longer allows end.
 * Errors: also ERR_INPUT: a port on which this sandbox does not listen.
 */
int network_orders_replace(const char *where, const char *name, const struct egress_spec *list,
			   struct err *e);

/* What became of its connections so far. @out  on success end with egress_summary_fini(). */
int network_orders_summarize(const char *where, const char *name, struct egress_summary *out,
			     struct err *e);

#endif
