/*
 * answer_await - wait for the warm supervisor, but not for one that is stopped or stuck.
 *
 * It may take long to answer for good reasons (no cell is free, another has the session). So who
 * hears nothing for 2 s asks whether it is there, on another connection, and gives up when nothing
 * comes within another 3.
 *
 * Runs: clients.
 */
#ifndef GLOVEBOX_CELL_ANSWER_AWAIT_H
#define GLOVEBOX_CELL_ANSWER_AWAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cell/wire.h"

/*
 * answer_await - the next message on a connection to the supervisor.
 * @max_ms  in all.
 * @out     on success ended by wire_fini().
 * Errors: ERR_SYSTEM: it does not answer, or hung up.
 */
int answer_await(int socket, uint64_t max_ms, struct wire_message *out, struct err *e);

/* Whether a message, or the end of the connection, comes in time. */
bool answer_has_come(int socket, uint64_t max_ms);

#endif
