/*
 * execute_result - what is said of a run that has ended.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_EXECUTE_RESULT_H
#define GLOVEBOX_SERVE_EXECUTE_RESULT_H

#include "serve/outputs.h"
#include "spec/verdict.h"

/* Members of an object: how it ended, what it used, and what it left. */
void execute_result_put(const struct verdict *v, const struct outputs *outputs, struct buf *out);

/* Cut what was too much, and say so, within the `most` that a stream may have. */
void execute_result_mark_cut(struct buf *text, bool truncated, size_t most);

#endif
