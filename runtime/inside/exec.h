/*
 * exec - replace the confined process by the program.
 *
 * Runs: the program-to-be, fully confined. Needs: nothing. Returns only on failure: -1 with
 * ERR_NOT_FOUND (exit 127) or ERR_DENIED (exit 126), which docker run tells apart, too.
 */
#ifndef GLOVEBOX_INSIDE_EXEC_H
#define GLOVEBOX_INSIDE_EXEC_H

#include "inside/plan.h"

int inside_exec(const struct inside_plan *plan, struct err *e);

#endif
