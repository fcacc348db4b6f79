/*
 * early_end - tell whether a cell's last process is exiting, so that the run need not wait for it.
 *
 * An interpreter with many modules takes milliseconds to free its memory, and only then does its
 * parent see it end. So another process of ours holds that memory (inside/memory_holder.h), pid 1
 * kills all other processes and reports at once, and the sandbox consists of pid 1 and that one
 * process, in the middle of its exit. Neither returns to user mode: do_exit() sets PF_EXITING
 * before it frees anything (kernel/exit.c), and pid 1 is our code, which waits.
 *
 * Pid 1 kills before it reports, so a process that is being forked would be listed here:
 * copy_process() fails while a signal is pending (kernel/fork.c).
 *
 * Runs: monitor, client. Needs: to read /proc. What cannot be read counts as alive.
 */
#ifndef GLOVEBOX_SANDBOX_EARLY_END_H
#define GLOVEBOX_SANDBOX_EARLY_END_H

#include <stdbool.h>
#include <stdint.h>

#include "cgroup/cgroup.h"

struct early_end {
	uint64_t next_us; /* monotonic time of the next check; LOOP_NEVER: none */
	uint64_t pause_us;
	uint64_t cpu_us; /* out: CPU time of the exiting process, which has not been reaped */
};

/* No check is due before the first call of early_end_may_be_near(). */
struct early_end early_end_none(void);

/*
 * early_end_may_be_near - count the group if a check is due at `now`. Call it once pid 1 has
 * reported and all output has been relayed.
 * @group  with a limit of processes, which counts them; borrowed.
 * true: only pid 1 and one process are left. Pid 1 reported every other process before it was
 * reaped (inside/init.c): receive its reports, then call early_end_is_near().
 */
bool early_end_may_be_near(struct early_end *e, uint64_t now, const struct cgroup *group);

/*
 * early_end_is_near - whether that process is exiting.
 * @init  a pidfd of pid 1; borrowed.
 * true: it is; e->cpu_us is the CPU time that the received reports lack.
 */
bool early_end_is_near(struct early_end *e, const struct cgroup *group, int init);

#endif
