/*
 * capacity - replies to requests that get no place or no cell.
 */
#include "request/capacity.h"

#include <inttypes.h>

#include "request/gate.h"
#include "request/server.h"

#define NO_PLACE "Execution capacity on this replica is saturated. Retry in %" PRIu64 " s."

void capacity_refuse_place(struct request *r, uint64_t seconds)
{
	gate_advise(r, seconds);
	request_refuse(r, 429, NO_PLACE, seconds);
}

/* The cause is worded for people at a command line: give clients a text of their own. */
void capacity_explain(struct err *e)
{
	/* an errno describes this machine */
	const bool is_of_machine = e->kind == ERR_SYSTEM && e->number;

	if (e->kind == ERR_UNSUPPORTED || e->kind == ERR_NOT_FOUND || is_of_machine)
		err_set(e, e->kind, "no sandbox now; the server's log says why");
}

struct err capacity_told(struct server *server, const struct err *e)
{
	struct err said = *e;

	log_error(&server->log, e);
	capacity_explain(&said);
	return said;
}

void capacity_refuse(struct request *r, const struct err *e)
{
	const struct err said = capacity_told(r->server, e);

	gate_advise(r, r->server->options.capacity_retry_s);
	request_refuse(r, 503, "Executor capacity unavailable (%s): %s", err_kind_name(e->kind),
		       said.text);
}
