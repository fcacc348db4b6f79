/*
 * faces - the APIs that a server has on listeners of their own (--face NAME=WHERE), beside its own.
 *
 * Their routes collide with the server's and with each other's (/health, /v1/files), so each has
 * an address of its own. Keys, ceilings, quotas, the audit and the metrics are the server's.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_FACES_H
#define GLOVEBOX_SERVE_FACES_H

#include "base/buf.h"
#include "request/server.h"

struct face {
	const char *name;
	const struct site *site;
};

extern const struct face faces[]; /* ends with a null name */

/*
 * faces_read - read "NAME=WHERE". @where  out: borrowed from @text.
 * NULL with *e: ERR_INPUT.
 */
const struct face *faces_read(const char *text, const char **where, struct err *e);

/* The number of a route among those of all faces, as metrics_request() counts it; NULL: -1. */
long faces_number_of(const struct route *route);

/* Call @tell for each route, in the order of their numbers. @face  NULL: the server's own. */
void faces_each_route(void (*tell)(void *context, const char *face, const struct route *route),
		      void *context);

/* agentsandbox_site.c, dify.c, e2b_site.c, librechat_site.c, pandastack_site.c */
extern const struct site agentsandbox_site;
extern const struct site dify_site;
extern const struct site e2b_site;
extern const struct site librechat_site;
extern const struct site pandastack_site;

#endif
