/*
 * cgroup_outer - which limits this process already has, from the control groups that it is in.
 *
 * Those of its own group and of all above it that can be seen: a container sees no further than its
 * cgroup namespace, and what is limited beyond is not known to it.
 *
 * Runs: monitor. Needs: /proc and /sys/fs/cgroup, to read.
 */
#ifndef GLOVEBOX_HOST_CGROUP_OUTER_H
#define GLOVEBOX_HOST_CGROUP_OUTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define OUTER_UNLIMITED UINT64_MAX

struct outer_limits {
	uint64_t memory_bytes;
	uint64_t pids;
	uint64_t cpu_percent; /* of one CPU */
	bool holds_groups;    /* also for the groups of sandboxes, which are made below */
};

/* The tightest of each; OUTER_UNLIMITED where there is none, or nothing can be read. */
void cgroup_outer(struct outer_limits *out);

/* "memory 512 MiB, 100 processes, 1.50 CPUs"; nothing is appended if there is no limit. */
void cgroup_outer_describe(const struct outer_limits *limits, struct buf *out);

#endif
