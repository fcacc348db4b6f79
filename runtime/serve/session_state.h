/*
 * session_state - the states of a session: /v1/sessions/ID/checkpoint, /rollback and /freeze.
 *
 * A checkpoint or a rollback that fails halfway can take the session with it: 410, with the reason.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_SESSION_STATE_H
#define GLOVEBOX_SERVE_SESSION_STATE_H

#include "serve/http.h"

/* The routes. */
void session_state_run_checkpoint(struct request *r);
void session_state_run_rollback(struct request *r);
void session_state_run_freeze(struct request *r);

#endif
