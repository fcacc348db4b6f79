/*
 * sandbox - one run from spec to verdict.
 *
 *   open      image, program, ids
 *   plan      root, filter, limits: everything that can fail early
 *   start     clone, confine, exec (spawn, inside/)
 *   watch     until it has ended
 *   collect   verdict, usage, files
 *   destroy   on every path
 *
 * Runs: monitor; open and plan in clients and the supervisor, too. Needs: root, or user namespaces;
 * for limits also write access to the cgroup's parent.
 */
#ifndef GLOVEBOX_SANDBOX_SANDBOX_H
#define GLOVEBOX_SANDBOX_SANDBOX_H

#include "base/err.h"
#include "cgroup/cgroup.h"
#include "fs/changes.h"
#include "image/image.h"
#include "inside/plan.h"
#include "root/program.h"
#include "root/root_plan.h"
#include "root/stage.h"
#include "sandbox/egress.h"
#include "sandbox/spawn.h"
#include "seccomp/syscall_filter.h"
#include "spec/spec.h"

/* What to do with the host directory that is mounted on /output. */
enum sandbox_output {
	OUTPUT_COLLECT, /* collect the files staged for it */
	OUTPUT_LIST,    /* the same, and list the changes of a bind */
	OUTPUT_LEAVE,   /* nothing: only a plan is wanted */
};

struct sandbox {
	char id[65];                     /* 64 hex digits, as docker's */
	const struct sandbox_spec *spec; /* borrowed */
	struct limits limits; /* of its control group: the spec's, unless the owner sets others */
	struct image image;
	struct program program;
	struct idmap map;
	int users; /* owned; maps its ids and ours (namespace/mapped_ids.h); -1 */
	struct root_plan root;
	struct syscall_filter profile; /* compiled from --security-opt seccomp=FILE */
	struct cgroup cgroup;
	struct egress egress; /* the starter of the sandbox starts it, if the spec has a network */
	uint16_t egress_ports[EGRESS_MAX_PORTS]; /* of the plan */
	struct buf code;
	struct inside_plan plan;
	struct rlimit rlimits[RLIM_NLIMITS];
	bool rlimits_set[RLIM_NLIMITS];
	int output_fd; /* receives the staged /output, or is listed for changes; -1 */
	struct stage_limits output_limits;
	bool output_staged;
	enum sandbox_output output_use;
	uint64_t command_timeout_ms; /* timeout(1) of a warm start; 0: none */
	/*
	 * How to start the child: sandbox_start() by default; client/lease.c sets its own, and
	 * `source`.
	 */
	int (*start)(struct sandbox *s, struct child *child, struct err *e);
	void *source;
	struct endings *endings; /* borrowed: receives what has not ended yet; NULL: wait for it */
	bool waits;              /* stays, and its program starts by run_start_first() */
	int owner; /* owned; its user namespace, if it stays and its root is writable; -1 */
	struct file_marks before;
};

/*
 * sandbox_open - load the image, and decide the program and its user.
 *
 * @spec  finished; outlives the sandbox.
 * @out   on success end with sandbox_destroy().
 */
int sandbox_open(const struct sandbox_spec *spec, struct sandbox *out, struct err *e);

/*
 * sandbox_plan - plan the root, the filter, the limits: everything but processes and the cgroup.
 * Before it, a warm start sets `map` and `start`, and a face `output_use`.
 * Errors: whatever is wrong with the request or this host.
 */
int sandbox_plan(struct sandbox *s, struct err *e);

/* Discard a plan and a warm start: the next sandbox_plan() is for a cold start. */
void sandbox_replan_cold(struct sandbox *s);

/*
 * Start cold: clone, cgroup, admission. The caller owns *child in every case, and may not want to
 * wait for one that has not been admitted: child_end().
 */
int sandbox_start(struct sandbox *s, struct child *child, struct err *e);

/*
 * How many processes of its group are ours: glovebox-egress does not count against the caller's
 * limit.
 */
uint64_t sandbox_pids_of_ours(const struct sandbox *s, uint64_t limit);

/*
 * sandbox_update - replace the limits of its control group while it runs: memory, swap, pids, CPU
 * time, and its idle time; those of @asked, as its spec would have them.
 * Errors: those of cgroup_update(), and then nothing has changed.
 */
int sandbox_update(struct sandbox *s, const struct limits *asked, struct err *e);

/* Remove its control group and release everything that it owns. */
void sandbox_destroy(struct sandbox *s);

/* This kernel's Landlock version: 1 and up; 0: none (landlock_create_ruleset(2)). */
int landlock_abi(void);

#endif
