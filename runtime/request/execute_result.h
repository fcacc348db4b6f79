/*
 * execute_result - the JSON of a run that has ended.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_EXECUTE_RESULT_H
#define GLOVEBOX_REQUEST_EXECUTE_RESULT_H

#include "request/outputs.h"
#include "spec/verdict.h"

/* Put members of an object: how the run ended, what it used, and its outputs. */
void execute_result_put(const struct verdict *v, const struct outputs *outputs, struct buf *out);

/* Mark a text that was truncated, within the `most` bytes that a stream may have. */
void execute_result_mark_cut(struct buf *text, bool truncated, size_t most);

#endif
