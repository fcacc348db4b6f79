/*
 * account - count one execution (tenant/metrics.h), write it to the audit (tenant/audit.h), and
 * list it (serve/executions.c).
 *
 * Embed it, all zero, in the state of a request that runs something. Open it when the request asks
 * for a place, and close it once.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_ACCOUNT_H
#define GLOVEBOX_REQUEST_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "tenant/audit.h"
#include "tenant/metrics.h"
#include "tenant/recent.h"

struct server;

struct account {
	struct server *server;    /* NULL: closed */
	struct key *key;          /* the request's key; the owner holds it */
	LIST_ENTRY(account) link; /* of server->accounts */
	struct metrics_run metrics;
	bool has_begun;
	bool is_due; /* the audit expects its line */
	struct audit_record record;
};

/* The request asks for a place. @r  borrowed until this returns. */
void account_open(struct account *a, const struct request *r, enum metrics_operation operation);

/*
 * account_name_session - the execution begins a session, or is a call in it (@is_call). A call has
 * the session's limits, but its own time and output, and no CPU time or memory of its own.
 * @session  copied.
 */
void account_name_session(struct account *a, const char *session, bool is_call);

/*
 * account_admit - the execution has a place, and is about to run.
 *
 * @code  borrowed until this returns; NULL: none. @terms  its limits.
 * Errors: ERR_SYSTEM: the audit cannot record it, so it must not run. The text is for the client;
 * stderr has the cause. The account is closed then.
 */
int account_admit(struct account *a, const char *code, size_t length,
		  const struct sandbox_spec *terms, struct err *e);

/* The execution has its cell; account_go_on(): it runs in the cell of an existing session. */
void account_begin(struct account *a);
void account_go_on(struct account *a);

/* The execution was refused before it ran. Safe on a closed account. */
void account_reject(struct account *a, enum metrics_reason reason);

/*
 * account_end - the execution has ended.
 *
 * @verdict   NULL: there is none, because of @failure; both NULL: it began a session.
 * @is_heard  a client waits for the result.
 * Errors: ERR_SYSTEM, as for account_admit(): the client must not get the result.
 */
int account_end(struct account *a, const struct verdict *verdict, const struct err *failure,
		bool is_heard, struct err *e);

/* Close the account in whatever state it is. Safe at any time. */
void account_close(struct account *a);

#endif
