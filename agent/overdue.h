/*
 * overdue - the end of an agent that is stuck past its deadline.
 *
 * Everything the agent waits for can be cancelled except a write: to a pipe that nobody reads, a
 * stopped terminal, a file system that is gone. So when a deadline has long passed it just exits.
 * Its watchdog (client/supplier.h) sees that and ends the sandboxes. This takes SIGALRM and
 * ITIMER_REAL of the process; no stream of the agent forwards output, which would need them, too
 * (host/stream.h).
 */
#ifndef GLOVEBOX_AGENT_OVERDUE_H
#define GLOVEBOX_AGENT_OVERDUE_H

#include <stdint.h>

/*
 * End the process with `status` after so many milliseconds, unless overdue_disarm() is called
 * before. 0: never.
 */
void overdue_arm(uint64_t ms, int status);
void overdue_disarm(void);

#endif
