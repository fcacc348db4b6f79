/*
 * box_code - code that runs in a context of a box's interpreter.
 *
 * The work may wait for its place, and its box or context may go meanwhile: it keeps the context's
 * id, and looks it up when it begins.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_BOX_BOX_CODE_H
#define GLOVEBOX_BOX_BOX_CODE_H

#include "box/box.h"

/*
 * Plan a call, whose terms have been read. @code  borrowed. The answer has each value and picture.
 */
void box_code_plan(struct session_work *w, const struct box_context *c, const char *code,
		   uint64_t timeout_ms);

/*
 * box_code_go - of session_work_queue(): begin in the context, anew if it is fresh; the work ends
 * by itself. A plan without a context's id begins at once.
 * Returns false: the context is gone; the caller refuses, and frees the work.
 */
bool box_code_go(struct session_work *w, struct box *b);

#endif
