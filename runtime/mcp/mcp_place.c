/*
 * mcp_place - where the sessions of callers live: a supervisor, and on which terms.
 */
#include "mcp/mcp_place.h"

#include "base/own.h"
#include "client/client.h"

int mcp_place_open(struct mcp_place *p, struct err *e)
{
	return supplier_open(p->image, p->options.trust_image, (unsigned)p->options.pool,
			     p->supplier, e);
}

static bool mcp_place_is_alive(const struct mcp_place *p)
{
	struct op_answer answer;
	struct err e;

	if (client_ask_once(supplier_where(p->supplier), OP_ALIVE, NULL, &answer, &e))
		return false;
	op_answer_fini(&answer);
	return true;
}

int mcp_place_recover(struct mcp_place *p)
{
	struct err e;

	if (!p->supplier->own)
		return supplier_fall_back(p->supplier, &e);
	if (mcp_place_is_alive(p))
		return -1;
	supplier_close(p->supplier);
	return mcp_place_open(p, &e);
}

void mcp_place_explain(const struct mcp_place *p, struct err *e)
{
	if (p->supplier->own)
		supplier_explain(p->supplier, e);
}

void mcp_place_close(struct mcp_place *p, unsigned wait_ms)
{
	if (supplier_end(p->supplier, wait_ms))
		supplier_close(p->supplier);
	spec_fini(&p->terms);
	own_free(&p->image);
}
