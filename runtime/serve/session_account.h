/*
 * session_account - what sessions run, as it is counted and written down (serve/account.h): their
 * beginning, and each call.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_SESSION_ACCOUNT_H
#define GLOVEBOX_SERVE_SESSION_ACCOUNT_H

#include "serve/session_work.h"

/* In the words of /v1/execute. An exception is an end by itself, as it is there. */
enum verdict_kind session_account_verdict(const struct call_result *outcome);

/*
 * session_account_admit - it has a place, and is about to begin. Returns whether it may; otherwise
 * it has been answered.
 */
bool session_account_admit(struct session_work *w);

/*
 * session_account_settle - what was asked of the notebook is over, in one way or another. Safe for
 * work that has no account.
 * Errors: ERR_SYSTEM: it has run, and could not be written down, so nobody may have its result.
 */
int session_account_settle(struct session_work *w, struct err *e);

#endif
