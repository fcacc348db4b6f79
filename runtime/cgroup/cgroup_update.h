/*
 * cgroup_update - change the limits of a group while its processes run.
 *
 * Runs: monitor. Needs: to own the group's files, as the process does that made them.
 */
#ifndef GLOVEBOX_CGROUP_CGROUP_UPDATE_H
#define GLOVEBOX_CGROUP_CGROUP_UPDATE_H

#include "cgroup/cgroup.h"

#define CGROUP_CHANGES 8

/* One file of the group, and what is written to it. */
struct cgroup_change {
	int dir; /* borrowed */
	const char *file;
	char value[48];
	char before[48];     /* what it held, to put it back */
	uint64_t most_bytes; /* afterwards the group uses more than this: give up; 0: not checked */
};

/* The layout lists them in the order in which they are written. */
struct cgroup_changes {
	struct cgroup_change items[CGROUP_CHANGES];
	unsigned count;
	const char *missing; /* a flag for which this group has no file; NULL: none */
};

/* Append a change. @dir: -1: the group has no such file, and the flag is missing. */
struct cgroup_change *cgroup_change_add(struct cgroup_changes *all, int dir, const char *file,
					const char *flag, const char *value);

/* The same with a number; SPEC_UNLIMITED: `none`. */
struct cgroup_change *cgroup_change_number(struct cgroup_changes *all, int dir, const char *file,
					   const char *flag, uint64_t value, const char *none);

/*
 * cgroup_update - replace limits: memory, swap, pids, CPU time. All or nothing: when the kernel
 * refuses one, those before it are put back.
 *
 * A memory limit below what the group uses makes the kernel reclaim what it can; if that is too
 * little, the limit is refused, and no process is killed. Takes a second at most, whatever the
 * processes do meanwhile.
 *
 * @now   what the group has.
 * @next  what it is to have.
 * Errors: ERR_UNSUPPORTED: the group was made without that limit; ERR_BUSY: it uses more memory.
 */
int cgroup_update(const struct cgroup *c, const struct limits *now, const struct limits *next,
		  struct err *e);

#endif
