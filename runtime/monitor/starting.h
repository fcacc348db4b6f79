/*
 * starting - start the program that a client's request names.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_STARTING_H
#define GLOVEBOX_MONITOR_STARTING_H

#include "monitor/messages.h"
#include "sandbox/run.h"
#include "sandbox/spawn.h"

/*
 * starting_exec - start it, as run_exec() does.
 *
 * @run    NULL: the sandbox has ended.
 * @r      an "exec".
 * @child  child_none(); out: what belongs to the client. End with child_end(), whatever is
 * returned. Errors: ERR_INPUT: of the request; ERR_BUSY: the sandbox is paused; ERR_GONE.
 */
int starting_exec(struct run *run, const struct monitor_request *r, struct child *child,
		  uint32_t *exec, struct err *e);

#endif
