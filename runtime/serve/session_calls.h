/*
 * session_calls - what runs in a session: /v1/sessions/ID/bash, /python and /python/stream, and how
 * it is interrupted.
 *
 * Code that fails, and code that takes its session with it, is a reply of 200, as with
 * /v1/execute; what is wrong with a request is said before anybody looks for the session.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_SESSION_CALLS_H
#define GLOVEBOX_SERVE_SESSION_CALLS_H

#include "serve/http.h"

/* The routes. */
void session_calls_run_bash(struct request *r);
void session_calls_run_python(struct request *r);
void session_calls_run_python_streamed(struct request *r);
void session_calls_run_interrupt(struct request *r);

#endif
