/*
 * execute - POST /v1/execute and /v1/execute/stream: one program in a fresh cell.
 *
 * A failing program is a 200. Errors of the request are found before it waits for a place, and
 * everything that prevents the run before the stream begins.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_EXECUTE_H
#define GLOVEBOX_SERVE_EXECUTE_H

#include "web/http.h"

/* Routes: execute_run() sends one reply, execute_run_streamed() sends the output as it comes. */
void execute_run(struct request *r);
void execute_run_streamed(struct request *r);

#endif
