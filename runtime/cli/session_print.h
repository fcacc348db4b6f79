/*
 * session_print - what came of a call, for people or for programs.
 */
#ifndef GLOVEBOX_CLI_SESSION_PRINT_H
#define GLOVEBOX_CLI_SESSION_PRINT_H

#include "base/json.h"
#include "cell/session.h"

/* As a terminal would show it. Returns the exit status. */
int session_print_answer(const struct json *answer);

/*
 * session_print_json - {"stdout", "stderr", ..., "result": what the interpreter answered}, a line.
 * @lost  NULL; else why there is no answer.
 * Returns 0, or -1 with errno. The answer is changed: its line ends become spaces.
 */
int session_print_json(struct session_call *call, const char *lost);

#endif
