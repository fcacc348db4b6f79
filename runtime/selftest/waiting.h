/*
 * waiting - run a sandbox whose program waits, and find its processes from outside.
 *
 * Runs: `glovebox selftest`. Needs: those of a run, and /proc.
 */
#ifndef GLOVEBOX_SELFTEST_WAITING_H
#define GLOVEBOX_SELFTEST_WAITING_H

#include <sys/types.h>

#include "base/buf.h"
#include "selftest/caller.h"
#include "selftest/selftest.h"

enum { WAITING_INIT, WAITING_PROGRAM, WAITING_CHILD, WAITING_MEMBERS };

struct waiting {
	struct caller_run run;
	pid_t pids[WAITING_MEMBERS];
	int pidfds[WAITING_MEMBERS];
};

/*
 * waiting_start - run the probe so that it waits, with a child, and find all three.
 * @flags  of glovebox run.
 * Errors: it did not start, or is not visible in /proc. On success end with waiting_end().
 */
int waiting_start(struct selftest *t, struct caller *c, const char *flags, struct waiting *w,
		  struct err *e);
void waiting_end(struct waiting *w);

/*
 * waiting_find - find the processes that match; @out gets the pids of the first @most. Returns
 * their number.
 */
size_t waiting_find(bool (*is_such)(pid_t pid, const void *context), const void *context,
		    pid_t *out, size_t most);

/* A file of /proc/PID; empty if it cannot be read. */
void waiting_read(pid_t pid, const char *name, struct buf *out);

/* A field of /proc/PID/status; empty if it cannot be read. */
void waiting_field(pid_t pid, const char *name, char out[64]);

#endif
