/*
 * session_calls - run code in a session: /v1/sessions/ID/bash, /python and /python/stream;
 * interrupt it.
 *
 * Code that fails, or that ends its session, is a reply of 200, as with /v1/execute; errors of the
 * request are reported before the session is looked up.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_SESSION_CALLS_H
#define GLOVEBOX_SERVE_SESSION_CALLS_H

#include "web/http.h"

/* Routes. */
void session_calls_run_bash(struct request *r);
void session_calls_run_python(struct request *r);
void session_calls_run_python_streamed(struct request *r);
void session_calls_run_interrupt(struct request *r);

#endif
