/*
 * account - one execution as it is counted (serve/metrics.h), written down (serve/audit.h) and
 * shown (serve/executions.h).
 *
 * Embed it in whatever runs something for a request, all zero: it is opened when a place is asked
 * for, and closed once.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_ACCOUNT_H
#define GLOVEBOX_SERVE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "serve/audit.h"
#include "serve/metrics.h"
#include "serve/recent.h"

struct server;

struct account {
	struct server *server; /* NULL: it is closed */
	struct key *key;       /* whose it is; whoever runs it holds that */
	struct account *next;  /* of the server's */
	struct account **at;
	struct metrics_run metrics;
	bool has_begun;
	bool is_due; /* its line */
	struct audit_record record;
};

/* It asks for a place. @r  borrowed until this returns. */
void account_open(struct account *a, const struct request *r, enum metrics_operation operation);

/*
 * account_name_session - it is the beginning of a session, or a call (@is_call): that has the
 * session's limits, but for those of time and output, and no CPU time or memory of its own.
 * @session  copied.
 */
void account_name_session(struct account *a, const char *session, bool is_call);

/*
 * account_admit - it has a place, and is about to run.
 *
 * @code  borrowed until this returns; NULL: it brings none. @terms  its limits.
 * Errors: ERR_SYSTEM, fit for strangers: it cannot be written down, so it must not run; stderr says
 * why. It is closed then.
 */
int account_admit(struct account *a, const char *code, size_t length,
		  const struct sandbox_spec *terms, struct err *e);

/* It has a cell; or it runs in that of a session, which was there. */
void account_begin(struct account *a);
void account_go_on(struct account *a);

/* It has not run. Safe on one that is closed. */
void account_reject(struct account *a, enum metrics_reason reason);

/*
 * account_end - it has ended.
 *
 * @verdict   NULL: none, because of @failure; if that is NULL, too: it has begun, as it was to.
 * @is_heard  somebody waits for its result.
 * Errors: ERR_SYSTEM, as for account_admit(): nobody may have its result.
 */
int account_end(struct account *a, const struct verdict *verdict, const struct err *failure,
		bool is_heard, struct err *e);

/* Safe at any time: whatever was left open. */
void account_close(struct account *a);

#endif
