/*
 * cgroup_outer - read the limits that this process already has, from its own control groups.
 *
 * It reads our own group and all visible groups above it: a container does not see limits beyond
 * its cgroup namespace.
 *
 * Runs: monitor. Needs: /proc and /sys/fs/cgroup, to read.
 */
#ifndef GLOVEBOX_CGROUP_CGROUP_OUTER_H
#define GLOVEBOX_CGROUP_CGROUP_OUTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define OUTER_UNLIMITED UINT64_MAX

struct outer_limits {
	uint64_t memory_bytes;
	uint64_t pids;
	uint64_t cpu_percent; /* of one CPU */
	bool holds_groups;    /* they hold for sandboxes, too, whose groups are made below */
};

/* The tightest limit of each kind; OUTER_UNLIMITED: none, or unreadable. */
void cgroup_outer(struct outer_limits *out);

/* Append "memory 512 MiB, 100 processes, 1.50 CPUs"; nothing without limits. */
void cgroup_outer_describe(const struct outer_limits *limits, struct buf *out);

#endif
