/*
 * overdue - the end of an agent that is stuck past its deadline.
 *
 * Everything it waits for can be cancelled but a write: to a pipe that nobody reads, a terminal
 * that is held, a file system that is gone. So when a deadline has long passed it just ends. Its
 * keeper (run/warm.h) sees that and ends the sandboxes. It takes SIGALRM and ITIMER_REAL of the
 * process: no stream of the agent forwards, which would take them, too (host/stream.h).
 */
#ifndef GLOVEBOX_AGENT_OVERDUE_H
#define GLOVEBOX_AGENT_OVERDUE_H

#include <stdint.h>

/* End the process with `status` so many milliseconds from now, if overdue_disarm() is not called
 * before. 0: never. */
void overdue_arm(uint64_t ms, int status);
void overdue_disarm(void);

#endif
