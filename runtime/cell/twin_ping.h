/*
 * twin_ping - whether a checkpoint is there, and which process it is.
 *
 * Runs: clients.
 */
#ifndef GLOVEBOX_CELL_TWIN_PING_H
#define GLOVEBOX_CELL_TWIN_PING_H

#include <stdint.h>

#include "base/err.h"
#include "cell/session.h"

/*
 * twin_ping - ask, and wait for the answer: {"id":0,"pid":N}, or {"id":0,"error":"..."}.
 *
 * @socket  its requests; borrowed.
 * @call    whose signals end the wait, when they come again.
 * @pid     out: inside, as it says itself.
 * Errors: ERR_SYSTEM when it has ended, does not answer within 20 s, or says something else. The
 * session goes on without it.
 */
int twin_ping(int socket, struct session_call *call, uint32_t *pid, struct err *e);

#endif
