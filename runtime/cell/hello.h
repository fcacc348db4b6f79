/*
 * hello - what an interpreter says unasked when it is there: {"id":0,"pid":N}, one frame;
 * or why it cannot be there: {"id":0,"error":"..."}.
 *
 * Runs: clients.
 */
#ifndef GLOVEBOX_CELL_HELLO_H
#define GLOVEBOX_CELL_HELLO_H

#include <stdint.h>

#include "base/err.h"

/*
 * hello_await - wait for one.
 *
 * @socket  a stream; borrowed.
 * @who     for the message: "the new session".
 * @pid     out: inside, as it says itself.
 * Errors: ERR_SYSTEM when it ends, takes too long, or says something else.
 */
int hello_await(int socket, const char *who, uint32_t *pid, struct err *e);

#endif
