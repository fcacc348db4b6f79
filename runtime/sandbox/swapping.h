/*
 * swapping - a child that moves the memory of a frozen group to swap.
 *
 * The kernel answers when the pages are written: whoever serves others meanwhile has a child wait
 * for it, and gives up by killing that.
 *
 * Runs: client, monitor. Needs: write access to the group.
 */
#ifndef GLOVEBOX_SANDBOX_SWAPPING_H
#define GLOVEBOX_SANDBOX_SWAPPING_H

#include <stdbool.h>

#include "sandbox/endings.h"

#define SWAPPING_MOST_US 10000000 /* pages that are not moved by then stay in memory */

struct swapping {
	pid_t child; /* until it is reaped; 0: none */
	int pidfd;   /* owned; readable when it has ended; -1 */
};

static inline struct swapping swapping_none(void)
{
	return (struct swapping){.pidfd = -1};
}

/*
 * swapping_begin - start the child.
 *
 * @group  frozen, with its directories open.
 * @out    end with swapping_end(), whatever is returned.
 * Returns false if there is none to wait for: the memory stays as it is.
 */
bool swapping_begin(const struct cgroup_ref *group, struct swapping *out);

/*
 * Kill the child, unless it has ended: one that waits for the disk dies once that answers.
 * @endings  reaps such a one; NULL: wait for it, for a moment. Safe if there is none.
 */
void swapping_end(struct swapping *s, struct endings *endings);

#endif
