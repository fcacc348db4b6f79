/*
 * wish - what a client of E2B's API asks of a new sandbox, as the spec of a session.
 *
 * A member that is not understood, or would have no effect, is refused: what is asked for must not
 * become less, nor more.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_E2B_WISH_H
#define GLOVEBOX_E2B_WISH_H

#include "base/json.h"
#include "request/session_work.h"

/*
 * wish_plan - judge the body of a create, and make w->terms the spec that the work begins with.
 * Errors: ERR_NOT_FOUND: no such template; ERR_INPUT, ERR_LIMIT, ERR_UNSUPPORTED.
 */
int wish_plan(struct session_work *w, const struct json *body, struct err *e);

#endif
