/*
 * answer - what a session's interpreter answered, as an execution.
 *
 * The interpreter shares its process with foreign code: the answer is hostile JSON of any
 * shape (rootfs/guest/units.py says what an honest one holds).
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_ANSWER_H
#define GLOVEBOX_AGENT_ANSWER_H

#include "agent/data/execution.h"
#include "base/json.h"

/* Set verdict, exit_code, value, traceback; add the texts of display() to stdout. */
void answer_read(const struct json *answer, struct execution *x);

#endif
