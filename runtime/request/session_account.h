/*
 * session_account - count and record the executions of sessions (request/account.h): their
 * beginning, and each call.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_SESSION_ACCOUNT_H
#define GLOVEBOX_REQUEST_SESSION_ACCOUNT_H

#include "request/session_work.h"

/* Map an outcome to the verdicts of /v1/execute, where an exception is a normal exit, too. */
enum verdict_kind session_account_verdict(const struct call_result *outcome);

/*
 * session_account_admit - the work has a place, and is about to begin. Returns false if it must
 * not; then the request has been answered.
 */
bool session_account_admit(struct session_work *w);

/*
 * session_account_settle - the notebook's operation is over, with any result. Safe for work without
 * an account.
 * Errors: ERR_SYSTEM: the run could not be recorded, so the client must not get its result.
 */
int session_account_settle(struct session_work *w, struct err *e);

#endif
