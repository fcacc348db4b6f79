/*
 * call_print - print the result of a call for people.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_SESSION_CALL_PRINT_H
#define GLOVEBOX_SESSION_CALL_PRINT_H

#include "session/call_result.h"

/* Print it as a terminal would show it. Returns the exit status. */
int call_print(const struct call_result *r);

#endif
