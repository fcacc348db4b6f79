/*
 * execute - POST /v1/execute and /v1/execute/stream: one program in a fresh cell.
 *
 * A program that fails is a reply of 200. Everything that is wrong with a request is found before
 * it waits for a place, and everything that keeps it from running before its stream begins.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_EXECUTE_H
#define GLOVEBOX_SERVE_EXECUTE_H

#include "serve/http.h"

/* The routes: with one reply, and with one that comes as the output does. */
void execute_run(struct request *r);
void execute_run_streamed(struct request *r);

#endif
