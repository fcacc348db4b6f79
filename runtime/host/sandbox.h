/*
 * sandbox - one run from spec to verdict.
 *
 *   open      image, program, ids
 *   plan      root, filter, limits: all that can fail early
 *   start     clone, confine, exec (spawn, inside/)
 *   watch     until it has ended
 *   collect   verdict, usage, files
 *   destroy   on every path
 *
 * Runs: supervisor.
 */
#ifndef GLOVEBOX_HOST_SANDBOX_H
#define GLOVEBOX_HOST_SANDBOX_H

#include "base/err.h"
#include "host/cgroup.h"
#include "host/changes.h"
#include "host/image.h"
#include "host/program.h"
#include "host/root_plan.h"
#include "host/spawn.h"
#include "host/stage.h"
#include "host/syscall_filter.h"
#include "host/verdict.h"
#include "inside/plan.h"
#include "spec/spec.h"

struct sandbox {
	char id[65];               /* 64 hex digits, as docker's */
	struct sandbox_spec *spec; /* borrowed */
	struct image image;
	struct program program;
	struct idmap map;
	struct root_plan root;
	struct syscall_filter profile; /* of --security-opt seccomp=FILE */
	struct cgroup cgroup;
	struct buf code;
	struct inside_plan plan;
	struct rlimit rlimits[RLIM_NLIMITS];
	bool rlimits_set[RLIM_NLIMITS];
	int output_fd; /* host directory that the staged /output goes to, or is watched */
	struct stage_limits output_limits;
	bool output_staged;
	uint64_t command_timeout_ms; /* a warm start stands in for timeout(1); 0: none */
	/* How the child is come by: sandbox_start(), or another layer's, from its `source`. */
	int (*start)(struct sandbox *s, struct child *child, struct err *e);
	void *source;
	struct file_marks before;
};

/*
 * sandbox_open - the image and the program: what runs, as whom.
 *
 * @spec  finished; its arena is used; outlives the sandbox.
 * @out   on success end with sandbox_destroy().
 */
int sandbox_open(struct sandbox_spec *spec, struct sandbox *out, struct err *e);

/*
 * sandbox_plan - the root, the filter, the limits: everything but processes and
 * the cgroup. In between, a warm start sets `map` and `start`.
 * Errors: whatever is wrong with the request or this host.
 */
int sandbox_plan(struct sandbox *s, struct err *e);

/* Forget a plan and a warm start: the next sandbox_plan() is for a cold one. */
void sandbox_replan_cold(struct sandbox *s);

/* A cold start: clone, cgroup, admission. On success *child is owned by the caller. */
int sandbox_start(struct sandbox *s, struct child *child, struct err *e);

/*
 * sandbox_run - start, watch, collect.
 *
 * @forward  the program's output goes to our stdout and stderr as it comes.
 * @capture  it is also kept in the verdict.
 * Errors: ours. ERR_NOT_FOUND and ERR_DENIED mean that the command could not be
 * executed (127, 126).
 */
int sandbox_run(struct sandbox *s, bool forward, bool capture, struct verdict *out, struct err *e);

void sandbox_destroy(struct sandbox *s);

/* This kernel's Landlock: 1 and up, 0 where it has none (landlock_create_ruleset(2)). */
int landlock_abi(void);

#endif
