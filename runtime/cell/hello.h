/*
 * hello - what an interpreter says unasked when it is there: {"id":0,"pid":N}, one frame;
 * or why it cannot be there: {"id":0,"error":"..."}.
 *
 * Runs: clients.
 */
#ifndef GLOVEBOX_CELL_HELLO_H
#define GLOVEBOX_CELL_HELLO_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct hello {
	uint32_t pid; /* inside, as it says itself */
	pid_t sender; /* as the kernel says, with SO_PASSCRED; else 0 */
};

/*
 * hello_await - wait for one.
 *
 * @socket  a stream; borrowed.
 * @who     for the message: "the new session".
 * Errors: ERR_SYSTEM when it ends, takes too long, or says something else.
 */
int hello_await(int socket, const char *who, struct hello *out, struct err *e);

#endif
