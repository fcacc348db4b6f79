/*
 * mcp_scan - scan the files of a session before and after a call.
 */
#include "mcp/mcp_scan.h"

/*
 * A policy keeps no listing between calls: scan before the call, but only for calls that report new
 * files.
 */
bool mcp_scan_is_wanted(const struct mcp_call *c)
{
	return c->connection->policy ? c->work.action == NOTEBOOK_RUN : c->tool->scans;
}

int mcp_scan_start(struct mcp_call *c, void (*done)(void *context))
{
	const struct notebook_request request = {
		.action = NOTEBOOK_FILES,
		.where = mcp_session_where(c->session),
		.name = c->session->name,
		.files = {.action = FILES_LIST, .path = "", .content_fd = -1},
	};
	struct err e;

	notebook_result_fini(&c->begun);
	return notebook_start(c->connection->backend->hub, &request, &c->begun, done, c,
			      &c->notebook, &e);
}

void mcp_scan_end(struct mcp_call *c)
{
	notebook_free(c->notebook);
	c->notebook = NULL;
	if (!c->begun.failed)
		mcp_listing_read(&c->session->listing, &c->begun.files.json);
}
