/*
 * cgroup - the control group of one sandbox: limits, usage, removal.
 *
 * Two layouts behind one small table (struct cgroup_layout): the unified v2 hierarchy, and the v1
 * controllers that hybrid hosts still have. Where our groups are:
 *
 *   v2, root       /sys/fs/cgroup/glovebox/<id>
 *   v2, rootless   beside or below our own delegated group (systemd-run --user
 *                  --scope -p Delegate=yes), because only there may we move into it
 *   v1, root       <controller>/glovebox/<id>
 *   v1, rootless   <controller>/TOP/user/<id>, a place that root gave to that user
 *                  (cgroup/cgroup_given.h)
 *   GLOVEBOX_CGROUP names another parent, relative to the mount.
 *
 * A sandbox's processes and glovebox-egress, which serves its network, share the limits but are
 * killed apart:
 *
 *   v2   <id>          the limits; no process
 *          <id>        the processes of the sandbox: killed, frozen, and out of memory together
 *          net         glovebox-egress (cgroup/cgroup_network.h), if there is one
 *   v1   <id>          the limits and the processes of the sandbox, in each controller
 *          net
 *
 * A group is locked (flock on its directory) as long as the process that made it lives, monitor or
 * supervisor; every start sweeps groups that are empty and not locked.
 *
 * Runs: monitor, supervisor, client. Needs: write access to the parent.
 */
#ifndef GLOVEBOX_CGROUP_CGROUP_H
#define GLOVEBOX_CGROUP_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "spec/spec.h"

#define CGROUP_MAX_FDS        5
#define CGROUP_NAME_SIZE      80
#define CGROUP_NETWORK        "net"

#define CGROUP_V2_DIRECTORIES 2 /* that of the limits, that of the processes */

struct cgroup_layout;
struct cgroup_changes;

/* A group by its directories; another process may have handed them over. */
struct cgroup_ref {
	char name[CGROUP_NAME_SIZE];
	/* v1: one per controller; v2: that of the limits, and that of the processes in it. */
	int dirs[CGROUP_MAX_FDS];
	unsigned count; /* 0: no group */
};

struct cgroup {
	const struct cgroup_layout *layout; /* NULL: no limits, and no group */
	struct cgroup_ref ref;
	int parents[CGROUP_MAX_FDS];
	int tasks[CGROUP_MAX_FDS]; /* files for "0": v1, or cgroup_open_tasks() */
	unsigned task_count;
	int oom_fd;             /* v1: an eventfd, readable when memory has run out; v2: -1 */
	uint64_t remove_by_us;  /* monotonic deadline of cgroup_close(); 0: none */
	uint64_t cpu_before_us; /* CPU time before the group was adopted */
};

struct cgroup_usage {
	uint64_t memory_peak_bytes;
	uint64_t oom_kills;
	uint64_t pids_refused; /* forks that hit pids.max */
	uint64_t cpu_us;       /* 0: the layout does not count it: use rusage */
};

/*
 * cgroup_open - create the group of one sandbox and set its limits.
 *
 * @id      the sandbox's id; becomes the directory's name.
 * @limits  bytes, microseconds, counts. Without limits it makes no group.
 * @out     on success owns the group; end with cgroup_close().
 *
 * Errors: ERR_UNSUPPORTED if a controller is missing or not ours to use (the
 * text names it and the remedy), else ERR_SYSTEM. Nothing is left behind.
 */
int cgroup_open(const char *id, const struct limits *limits, struct cgroup *out, struct err *e);

/* The directory with the processes of the sandbox: the last. Borrowed. */
static inline int cgroup_processes(const struct cgroup_ref *ref)
{
	return ref->count ? ref->dirs[ref->count - 1] : -1;
}

/* Close the directories. Safe without a group. */
void cgroup_ref_close(struct cgroup_ref *ref);

/* Whether these limits need no group. */
bool cgroup_nothing_to_limit(const struct limits *limits);

/*
 * cgroup_wants_scope - whether an ordinary user on cgroup v2 is outside of every delegated group,
 * as after a login. Limits need one: the user's systemd delegates a scope.
 */
bool cgroup_wants_scope(void);

/*
 * cgroup_adopt - adopt a group that a warm supervisor made, and set new limits.
 *
 * @ref  taken over, also on error: it names no group afterwards.
 * @out  as from cgroup_open(); usage counts from now.
 *
 * Errors: ERR_UNSUPPORTED these limits need controllers that the group lacks.
 */
int cgroup_adopt(struct cgroup_ref *ref, const struct limits *limits, struct cgroup *out,
		 struct err *e);

/*
 * Whether the group may be made after the child: on v1 the child joins by itself, so both can
 * proceed at the same time. On v2 it is born in the group.
 */
bool cgroup_can_wait(void);

/*
 * cgroup_open_tasks - open files with which a process joins that cannot be born in the group: a
 * cell. On v2 the move needs the rights of the process that opened the file (Linux 5.16), and waits
 * for an RCU grace period.
 */
int cgroup_open_tasks(struct cgroup *c, struct err *e);

/* v2: the descriptor for CLONE_INTO_CGROUP; -1: v1, or no group. Borrowed. */
int cgroup_birth_fd(const struct cgroup *c);

/* Read what the processes of the group have used so far; 0 for a value that cannot be read. */
void cgroup_read_usage(const struct cgroup *c, struct cgroup_usage *out);

/* The path of the file with the group's memory use. Returns -1 without one. */
int cgroup_memory_file(const struct cgroup *c, char out[PATH_MAX]);

/*
 * Remove the group after its processes have been reaped. Waits at most a second for the kernel to
 * empty it; a later sweep removes a group that is left. Safe on a zeroed or closed group.
 */
void cgroup_close(struct cgroup *c);

/* Remove a group, and close its directories. @by_us  deadline, as remove_by_us. */
void cgroup_remove(struct cgroup_ref *ref, uint64_t by_us);

/* Remove a group if it is empty. false: it is not empty. */
bool cgroup_remove_once(const struct cgroup_ref *ref);

/*
 * cgroup_unlink - remove one directory of a group, and its network's directory if there is one.
 * Returns 0, or -1 with errno.
 */
int cgroup_unlink(int parent_fd, const char *name);

/* Close a group that another process has adopted; remove nothing. */
void cgroup_forget(struct cgroup *c);

/* The group with borrowed descriptors: they are not closed here. */
struct cgroup cgroup_borrow(const struct cgroup_ref *ref);

/* Give the group's name and directories to the caller, who owns them. */
struct cgroup_ref cgroup_hand_over(struct cgroup *c);

/* Copy a name, cut to the size. */
void cgroup_copy_name(char out[CGROUP_NAME_SIZE], const char *name);

/*
 * cgroup_freeze - stop every process of a group, and wait until the kernel reports that all have
 * stopped.
 *
 * Freezing a frozen group succeeds. On v1 SIGKILL does not end a frozen process: thaw it before you
 * wait for its end. Errors: ERR_UNSUPPORTED with the remedy if we cannot use a freezer; ERR_SYSTEM
 * if they do not stop within 5 s. On error the processes continue.
 */
int cgroup_freeze(const struct cgroup_ref *ref, struct err *e);

/* Let the processes continue. Thawing a running group succeeds. */
int cgroup_thaw(const struct cgroup_ref *ref, struct err *e);

#define CGROUP_FREEZERS 2 /* hierarchies that can freeze */
#define CGROUP_FREEZE_STEPS                                                                        \
	5000 /* steps of at least a millisecond, before freezing is given up                       \
	      */

/*
 * One step of the same, which does not wait; repeat it after a millisecond. 1: done; 0: not yet,
 * and for freezing *e says why; -1: *e. Thaw a group that was not frozen in time.
 */
int cgroup_freeze_once(const struct cgroup_ref *ref, struct err *e);
int cgroup_thaw_once(const struct cgroup_ref *ref, struct err *e);

/*
 * cgroup_prepare_freezer - make what freezing needs, while there is the right to: later a process
 * without capabilities may freeze. Where nothing can freeze it does nothing, and freezing says why.
 */
void cgroup_prepare_freezer(const struct cgroup *c);

struct cgroup_memory {
	bool has_swap;
	uint64_t resident_bytes;
	uint64_t swapped_bytes;
};

/* How many bytes of a group's memory are resident; 0: unknown. */
uint64_t cgroup_resident_bytes(const struct cgroup_ref *ref);

/* Read how much of a group's memory is resident, and how much is swapped. */
void cgroup_read_memory(const struct cgroup_ref *ref, struct cgroup_memory *out);

/*
 * cgroup_swap_out - move the memory of a frozen group to swap; touching it brings it back.
 *
 * Takes as long as the disk does. SIGKILL interrupts it once the disk answers; the rest then stays.
 */
void cgroup_swap_out(const struct cgroup_ref *ref);

/* The layout of this machine; NULL: control groups are not mounted. */
const struct cgroup_layout *cgroup_detect(void);

/* --- between cgroup.c and its two layouts ------------------------------- */

/* Whether our group, or one above it, was delegated to our user. */
bool cgroup_v2_is_given(void);

/* A way to freeze: the file and value to write, and the answer to read. */
struct cgroup_freezer {
	const char *mount; /* of another hierarchy to which processes are moved; NULL: the same */
	const char *file;
	const char *freeze;
	const char *thaw;
	const char *events; /* contains `frozen` once all have stopped */
	const char *frozen;
};

struct cgroup_layout {
	const char *name;
	/* Fill parents[] and count; create and enable what is missing. */
	int (*find_parents)(const struct limits *limits, struct cgroup *c, struct err *e);
	/* Add the directory of the processes to dirs[], if it is not that of the limits. */
	int (*make_inner)(struct cgroup *c, struct err *e);
	int (*set_limits)(const struct limits *limits, struct cgroup *c, struct err *e);
	/* List what replaces limits of a group that is in use (cgroup/cgroup_update.h). */
	int (*list_changes)(const struct cgroup *c, const struct limits *now,
			    const struct limits *next, struct cgroup_changes *out, struct err *e);
	/* Remove a group that a killed monitor or supervisor left, in every controller. */
	void (*remove_stale)(const struct cgroup *c, const char *name);
	/* Give all sandboxes together the weight of `live` processes. Best effort. */
	void (*set_weight)(const struct cgroup *c, unsigned live);
	void (*read_usage)(const struct cgroup *c, struct cgroup_usage *out);
	/*
	 * Open the directory that freezes the group, owned by the caller, and say how. @make:
	 * create it if missing. -1: *e says why; *e stays empty if it is missing and not to be
	 * made.
	 */
	int (*open_freezer)(const struct cgroup *c, bool make, const struct cgroup_freezer **how,
			    struct err *e);
	/*
	 * Remove the directories that open_freezer() made. false: one is not empty yet. NULL: the
	 * group is its own freezer.
	 */
	bool (*remove_freezers)(const struct cgroup *c);
	/*
	 * The parent of such directories in hierarchy i; owned by the caller; -1: none. NULL: the
	 * group is its own freezer.
	 */
	int (*open_freezers)(unsigned i);
	/* Move pages of a frozen group to swap, beyond its swap limit. Best effort. */
	void (*swap_out)(const struct cgroup *c);
	/* Before thawing, restore the swap limit, even if swap_out() was killed. */
	int (*limit_swap)(const struct cgroup *c, struct err *e);
	const char *resident_file; /* bytes in memory */
	const char *swapped_file;  /* bytes in swap, after this key */
	const char *swapped_key;
};

extern const struct cgroup_layout cgroup_v1;
extern const struct cgroup_layout cgroup_v2;

/* The controllers that a sandbox may need; v1's names, four of which v2 has. */
enum cgroup_controller {
	CGROUP_MEMORY, /* always: the peak is reported even without limits */
	CGROUP_PIDS,
	CGROUP_CPU,
	CGROUP_CPUACCT,
	CGROUP_CPUSET,
	CGROUP_CONTROLLERS,
};

extern const char *const cgroup_controllers[CGROUP_CONTROLLERS];

/* Whether these limits need the controller. */
bool cgroup_needs(const struct limits *l, enum cgroup_controller controller);

/*
 * The error for an ordinary user who was not given these controllers (a bit each). It names all of
 * them, the command that gives them, and the flags to omit instead.
 */
int cgroup_not_given(unsigned lacking, struct err *e);

/* Write a limit; the error names file and value. */
int cgroup_put(int dir_fd, const char *file, const char *value, struct err *e);
int cgroup_put_number(int dir_fd, const char *file, uint64_t value, struct err *e);
/*
 * Set the CPUs of a group; its parent's @file lists the available ones. ERR_INPUT: one is not
 * available.
 */
int cgroup_put_cpuset(int dir_fd, const char *cpus, int parent_fd, const char *file, struct err *e);
/* Whether a list like "0-2,4" has a CPU. */
bool cgroup_cpuset_has(const char *list, long cpu);
/*
 * v1: give a new group the CPUs and memory nodes of `from_fd`: it starts without, and then accepts
 * no task.
 */
int cgroup_fill_cpuset(int dir_fd, int from_fd, struct err *e);
/* Read a number, alone in its file or after `key` in a "key value" list; 0 if absent. */
uint64_t cgroup_number(int dir_fd, const char *file, const char *key);
bool cgroup_host_has_swap(void);

#endif
