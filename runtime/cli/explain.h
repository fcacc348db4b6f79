/*
 * explain - print what a run would do, in the order in which it would be done.
 *
 * Runs: monitor. Needs: nothing; no sandbox is made.
 */
#ifndef GLOVEBOX_CLI_EXPLAIN_H
#define GLOVEBOX_CLI_EXPLAIN_H

#include "host/sandbox.h"
#include "spec/egress.h"

/*
 * @cold  why it would not be served from a warm cell; NULL: it would. Returns the exit status, 0.
 */
int explain(const struct sandbox *s, const char *cold);

/* Print what a list reaches, a line each. */
void explain_list(const struct egress_spec *list);

#endif
