/*
 * overdue - end an agent that is stuck past its deadline.
 *
 * Every wait of the agent can be cancelled except a write: to a pipe without a reader, a stopped
 * terminal, a dead file system. So long after its deadline the process exits. Its watchdog
 * (client/supplier.h) then ends the sandboxes. This uses SIGALRM and ITIMER_REAL of the process; no
 * stream of the agent forwards output, which would need them, too (sandbox/stream.h).
 */
#ifndef GLOVEBOX_AGENT_OVERDUE_H
#define GLOVEBOX_AGENT_OVERDUE_H

#include <stdint.h>

/*
 * Exit with `status` after so many milliseconds, unless overdue_disarm() is called before. 0:
 * never.
 */
void overdue_arm(uint64_t ms, int status);
void overdue_disarm(void);

#endif
