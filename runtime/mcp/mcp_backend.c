/*
 * mcp_backend - the backend of a connection: a supervisor, and the terms of sessions.
 */
#include "mcp/mcp_backend.h"

#include "base/own.h"

static void mcp_backend_unlink(struct mcp_recovery *x)
{
	LIST_REMOVE(x, link);
	x->is_waiting = false;
}

/* A callback may start another recovery, and may make other waiters leave the list. */
static void mcp_backend_recovered(void *context, bool is_another, const struct err *why)
{
	struct mcp_backend *p = context;
	struct mcp_recovery *x = LIST_FIRST(&p->recoveries);

	p->changes += is_another;
	p->told = p->recoveries;
	LIST_INIT(&p->recoveries);
	if (x)
		x->link.le_prev = &LIST_FIRST(&p->told);
	while ((x = LIST_FIRST(&p->told))) {
		mcp_backend_unlink(x);
		x->done(x->context, is_another, why);
	}
}

int mcp_backend_open(struct mcp_backend *p, struct err *e)
{
	const struct supplier_terms terms = {.image = p->image,
					     .preload = p->options.preload,
					     .trust_image = p->options.trust_image,
					     .pool = (unsigned)p->options.pool};

	resupply_init(&p->another, p->hub, p->supplier, true, mcp_backend_recovered, p);
	return supplier_open(&terms, p->supplier, e);
}

void mcp_backend_recover(struct mcp_backend *p, struct mcp_recovery *x)
{
	if (x->seen != p->changes) {
		x->done(x->context, true, NULL);
		return;
	}
	if (LIST_EMPTY(&p->recoveries))
		resupply_start(&p->another);
	LIST_INSERT_HEAD(&p->recoveries, x, link);
	x->is_waiting = true;
}

void mcp_backend_forget(struct mcp_backend *p, struct mcp_recovery *x)
{
	if (!x->is_waiting)
		return;
	mcp_backend_unlink(x);
	if (LIST_EMPTY(&p->recoveries))
		resupply_stop(&p->another);
}

void mcp_backend_close(struct mcp_backend *p, unsigned wait_ms)
{
	if (supplier_end(p->supplier, wait_ms))
		supplier_close(p->supplier);
	spec_fini(&p->terms);
	own_free(&p->image);
}
