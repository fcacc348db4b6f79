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
 * Runs: monitor; open and plan in clients and the supervisor, too. Needs: root, or user namespaces;
 * for limits also write access to the cgroup's parent.
 */
#ifndef GLOVEBOX_HOST_SANDBOX_H
#define GLOVEBOX_HOST_SANDBOX_H

#include "base/changes.h"
#include "base/err.h"
#include "host/cgroup.h"
#include "host/egress.h"
#include "host/image.h"
#include "host/program.h"
#include "host/root_plan.h"
#include "host/spawn.h"
#include "host/stage.h"
#include "host/syscall_filter.h"
#include "inside/plan.h"
#include "spec/spec.h"
#include "spec/verdict.h"

/* What is done about the host's directory that is mounted on /output. */
enum sandbox_output {
	OUTPUT_COLLECT, /* what was staged for it is collected */
	OUTPUT_LIST,    /* and of a bind it is listed what changed */
	OUTPUT_LEAVE,   /* nothing: there will only be a plan */
};

struct sandbox {
	char id[65];                     /* 64 hex digits, as docker's */
	const struct sandbox_spec *spec; /* borrowed */
	struct limits limits; /* of its control group: the spec's, unless its owner sets others */
	struct image image;
	struct program program;
	struct idmap map;
	int users; /* owned; in which its ids and ours are mapped (host/mapped_ids.h); -1: no need
		    */
	struct root_plan root;
	struct syscall_filter profile; /* of --security-opt seccomp=FILE */
	struct cgroup cgroup;
	struct egress egress; /* started by whoever starts the sandbox, if its spec wants it */
	uint16_t egress_ports[EGRESS_MAX_PORTS]; /* of the plan */
	struct buf code;
	struct inside_plan plan;
	struct rlimit rlimits[RLIM_NLIMITS];
	bool rlimits_set[RLIM_NLIMITS];
	int output_fd; /* the host directory that the staged /output goes to, or whose changes are
			  listed */
	struct stage_limits output_limits;
	bool output_staged;
	enum sandbox_output output_use;
	uint64_t command_timeout_ms; /* for a warm start in place of timeout(1); 0: none */
	/*
	 * How to start the child: sandbox_start() by default; client/lease.c installs its own, and
	 * `source`.
	 */
	int (*start)(struct sandbox *s, struct child *child, struct err *e);
	void *source;
	struct endings *endings; /* borrowed: gets what has not ended yet; NULL: that is waited for
				  */
	bool at_once; /* sandbox_start() waits for no lock: ERR_BUSY, if another holds it */
	struct file_marks before;
};

/*
 * sandbox_open - the image and the program: what runs, as whom.
 *
 * @spec  finished; outlives the sandbox.
 * @out   on success end with sandbox_destroy().
 */
int sandbox_open(const struct sandbox_spec *spec, struct sandbox *out, struct err *e);

/*
 * sandbox_plan - the root, the filter, the limits: everything but processes and
 * the cgroup. In between, a warm start sets `map` and `start`,
 * and a face `output_use`.
 * Errors: whatever is wrong with the request or this host.
 */
int sandbox_plan(struct sandbox *s, struct err *e);

/* Forget a plan and a warm start: the next sandbox_plan() is for a cold start. */
void sandbox_replan_cold(struct sandbox *s);

/* A cold start: clone, cgroup, admission. In every case *child is the caller's, who may not want to
 * wait for the end of one that has not been admitted: child_end(). */
int sandbox_start(struct sandbox *s, struct child *child, struct err *e);

/* Remove its control group and release everything that it owns. */
void sandbox_destroy(struct sandbox *s);

/* This kernel's Landlock: 1 and up, 0 where it has none (landlock_create_ruleset(2)). */
int landlock_abi(void);

#endif
