/*
 * session_state - checkpoint, roll back and freeze a session: /v1/sessions/ID/checkpoint, ...
 *
 * A checkpoint or a rollback that fails halfway may end the session: 410, with the reason.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_SESSION_STATE_H
#define GLOVEBOX_SERVE_SESSION_STATE_H

#include "web/http.h"

/* Routes. */
void session_state_run_checkpoint(struct request *r);
void session_state_run_rollback(struct request *r);
void session_state_run_freeze(struct request *r);

#endif
