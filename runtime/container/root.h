/*
 * root - the root of a sandbox that stays, whether it runs or has ended.
 *
 * Runs: client. Needs: those of a cold run, if it has ended.
 */
#ifndef GLOVEBOX_CONTAINER_ROOT_H
#define GLOVEBOX_CONTAINER_ROOT_H

#include "record/record.h"

/*
 * root_tell - write what mover says of it.
 *
 * @verb  "changes" or "export". @to  borrowed.
 * Returns 0; 1: something was left out, which has been said; -1 with *e.
 */
int root_tell(const struct record *r, const char *verb, int to, struct err *e);

#endif
