/*
 * explain - print what a run would do, in the order in which it would be done.
 */
#ifndef GLOVEBOX_CLI_EXPLAIN_H
#define GLOVEBOX_CLI_EXPLAIN_H

#include "host/sandbox.h"

/* Returns the exit status, 0. */
int explain(const struct sandbox *s);

#endif
