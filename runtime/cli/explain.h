/*
 * explain - print the steps of a run, in their order, without running it.
 *
 * Runs: monitor. Needs: nothing; makes no sandbox.
 */
#ifndef GLOVEBOX_CLI_EXPLAIN_H
#define GLOVEBOX_CLI_EXPLAIN_H

#include "netpolicy/egress.h"
#include "sandbox/sandbox.h"

/* @cold: why it would not start in a warm cell; NULL: it would. Returns the exit status, 0. */
int explain(const struct sandbox *s, const char *cold);

/* Print the hosts of a list, a line each. */
void explain_list(const struct egress_spec *list);

#endif
