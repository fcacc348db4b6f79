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
 *                  (host/cgroup_given.h)
 *   GLOVEBOX_CGROUP names another parent, relative to the mount.
 *
 * A sandbox's processes and glovebox-egress, which serves its network, share the limits and die
 * apart:
 *
 *   v2   <id>          the limits; no process
 *          <id>        the processes of the sandbox: killed, frozen, and out of memory together
 *          net         glovebox-egress (host/cgroup_network.h), if there is one
 *   v1   <id>          the limits and the processes of the sandbox, in each controller
 *          net
 *
 * A group is locked (flock on its directory) as long as the process that made it lives, monitor or
 * supervisor; every start removes groups that are empty and not locked.
 *
 * Runs: monitor, supervisor, client. Needs: write access to the parent.
 */
#ifndef GLOVEBOX_HOST_CGROUP_H
#define GLOVEBOX_HOST_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "spec/spec.h"

#define CGROUP_MAX_FDS        5
#define CGROUP_NAME_SIZE      80
#define CGROUP_NETWORK        "net"

#define CGROUP_V2_DIRECTORIES 2 /* the limits, the processes */

struct cgroup_layout;

struct cgroup {
	const struct cgroup_layout *layout; /* NULL: no limit was set and no group made */
	char name[CGROUP_NAME_SIZE];
	int parents[CGROUP_MAX_FDS];
	/* One per controller on v1; on v2 that of the limits, and that of the processes in it. */
	int dirs[CGROUP_MAX_FDS];
	unsigned count;
	int tasks[CGROUP_MAX_FDS]; /* files that a child writes "0" to: v1, or cgroup_open_tasks()
				    */
	unsigned task_count;
	int oom_fd;             /* v1: an eventfd, readable when memory has run out; else -1 */
	uint64_t remove_by_us;  /* when cgroup_close() gives up at the latest; 0: no such moment */
	uint64_t cpu_before_us; /* used before it was adopted */
};

struct cgroup_usage {
	uint64_t memory_peak_bytes;
	uint64_t oom_kills;
	uint64_t pids_refused; /* forks that hit pids.max */
	uint64_t cpu_us;       /* 0 where the layout does not count it: use rusage */
};

/*
 * cgroup_open - create the group of one sandbox and set its limits.
 *
 * @id      the sandbox's id; becomes the directory's name.
 * @limits  bytes, microseconds, counts. With nothing to limit no group is made.
 * @out     on success owns the group; end with cgroup_close().
 *
 * Errors: ERR_UNSUPPORTED if a controller is missing or not ours to use (the
 * text names it and the remedy), else ERR_SYSTEM. Nothing is left behind.
 */
int cgroup_open(const char *id, const struct limits *limits, struct cgroup *out, struct err *e);

/* The same for who does not wait for a lock: ERR_BUSY when another has it. */
int cgroup_open_now(const char *id, const struct limits *limits, struct cgroup *out, struct err *e);

/* Which directory of a group has the processes of the sandbox: the last. Borrowed. */
static inline int cgroup_processes(const int *dirs, unsigned count)
{
	return count ? dirs[count - 1] : -1;
}

/* Whether no group is needed for these limits. */
bool cgroup_nothing_to_limit(const struct limits *limits);

/*
 * cgroup_wants_scope - an ordinary user on cgroup v2 whose process is in nobody's delegated group,
 * as after a login: limits need one, which the user's own systemd gives to a scope.
 */
bool cgroup_wants_scope(void);

/*
 * cgroup_adopt - take over a group that a warm supervisor made, and set new limits.
 *
 * @name     its directory's name.
 * @dirs     `count` descriptors of its directories; owned from here on, on error too.
 * @out      as from cgroup_open(); usage counts from now.
 *
 * Errors: ERR_UNSUPPORTED when these limits need other controllers than it has.
 */
int cgroup_adopt(const char *name, const int *dirs, unsigned count, const struct limits *limits,
		 struct cgroup *out, struct err *e);

/*
 * Whether the group may be made after the child: on v1 the child joins by itself, so its birth and
 * the making of the group overlap. On v2 it is born in the group.
 */
bool cgroup_can_wait(void);

/*
 * cgroup_open_tasks - for a process that cannot be born in the group: a cell's. On v2 the move
 * needs the rights of the process that opened the file (Linux 5.16), and waits for an RCU grace
 * period.
 */
int cgroup_open_tasks(struct cgroup *c, struct err *e);

/* v2: the descriptor for CLONE_INTO_CGROUP; -1 on v1 and without a group. Borrowed. */
int cgroup_birth_fd(const struct cgroup *c);

/* What the processes of the group have used so far; 0 for what cannot be read. */
void cgroup_read_usage(const struct cgroup *c, struct cgroup_usage *out);

/* The path of the file that counts the bytes of its memory. Returns -1: there is none. */
int cgroup_memory_file(const struct cgroup *c, char out[PATH_MAX]);

/*
 * Remove the group after all its processes have been reaped. It waits a second at most for the
 * kernel to take them out of it; a group that is left is removed by a later sweep. Safe if zeroed
 * or closed already.
 */
void cgroup_close(struct cgroup *c);

/*
 * Remove a group by its name.
 * @dirs   its `count` directories; owned, closed here.
 * @by_us  as remove_by_us.
 */
void cgroup_remove(const char *name, const int *dirs, unsigned count, uint64_t by_us);

/* Remove it by its name if it is empty. @dirs: borrowed. false: it is not empty. */
bool cgroup_remove_once(const char *name, const int *dirs, unsigned count);

/*
 * cgroup_unlink - remove one directory of a group, and that of its network if there is one.
 * Returns 0, or -1 with errno.
 */
int cgroup_unlink(int parent_fd, const char *name);

/* Let go of a group that another process has adopted: close, remove nothing. */
void cgroup_forget(struct cgroup *c);

/*
 * A group through borrowed descriptors: it is never closed here, but can be handed over for its
 * owner.
 */
struct cgroup cgroup_borrow(const char *name, const int *dirs, unsigned count);

/*
 * Let go of it, and give its name and its directories to the caller, who owns them. Returns their
 * number.
 */
unsigned cgroup_hand_over(struct cgroup *c, char name[CGROUP_NAME_SIZE], int dirs[CGROUP_MAX_FDS]);

/* Copy a name, cut to the size. */
void cgroup_copy_name(char out[CGROUP_NAME_SIZE], const char *name);

/*
 * cgroup_freeze - stop every process of a group; returns when the kernel says that all have
 * stopped.
 *
 * @name, @dirs, @count  of the group, as for cgroup_adopt(); borrowed. Frozen already: no error.
 *
 * On v1 a frozen process cannot even be killed: thaw before you wait for its end.
 * Errors: ERR_UNSUPPORTED with the remedy if we may use no freezer; ERR_SYSTEM when they do not
 * stop within 5 s. On error they continue.
 */
int cgroup_freeze(const char *name, const int *dirs, unsigned count, struct err *e);

/* Let them continue. No error when they are not frozen. */
int cgroup_thaw(const char *name, const int *dirs, unsigned count, struct err *e);

#define CGROUP_FREEZERS     2    /* hierarchies that can freeze */
#define CGROUP_FREEZE_STEPS 5000 /* and at least as many milliseconds: then it is given up */

/*
 * The same in steps that do not wait, to be repeated after a millisecond. 1: it is done; 0: not
 * yet, and for freezing *e says why not; -1: *e. Thaw what has not been frozen in time.
 */
int cgroup_freeze_once(const char *name, const int *dirs, unsigned count, struct err *e);
int cgroup_thaw_once(const char *name, const int *dirs, unsigned count, struct err *e);

struct cgroup_memory {
	bool has_swap;
	uint64_t resident_bytes;
	uint64_t swapped_bytes;
};

/* Where the memory of a group is. */
void cgroup_read_memory(const char *name, const int *dirs, unsigned count,
			struct cgroup_memory *out);

/*
 * cgroup_swap_out - move the memory of a frozen group to swap. It returns when it is touched.
 *
 * Takes as long as the disk does; SIGKILL ends it once that answers, and what has not moved by then
 * stays.
 */
void cgroup_swap_out(const char *name, const int *dirs, unsigned count);

/* The layout of this machine; NULL: no control groups are mounted. */
const struct cgroup_layout *cgroup_detect(void);

/* --- between cgroup.c and its two layouts ------------------------------- */

/* We are in a group that was delegated to our user, or below one. */
bool cgroup_v2_is_given(void);

/* A way to freeze, as one row: the file and value to write, and the answer to read. */
struct cgroup_freezer {
	const char *mount; /* of another hierarchy to which processes are moved; NULL: none */
	const char *file;
	const char *freeze;
	const char *thaw;
	const char *events; /* contains `frozen` once all have stopped */
	const char *frozen;
};

struct cgroup_layout {
	const char *name;
	/* Fill parents[] and count, creating and enabling what is missing. */
	int (*find_parents)(const struct limits *limits, struct cgroup *c, struct err *e);
	/* Add the directory of its processes to dirs[], if they are not where the limits are. */
	int (*make_inner)(struct cgroup *c, struct err *e);
	int (*set_limits)(const struct limits *limits, struct cgroup *c, struct err *e);
	/* Remove a group that a killed monitor or supervisor left, from every controller. */
	void (*remove_stale)(const struct cgroup *c, const char *name);
	/* Give all sandboxes together the weight of `live` processes. Best effort. */
	void (*set_weight)(const struct cgroup *c, unsigned live);
	void (*read_usage)(const struct cgroup *c, struct cgroup_usage *out);
	/*
	 * Open the directory that freezes the group, owned by the caller, and say how. @make: make
	 * it if missing. -1: *e says why; if it is missing and not to be made, *e stays empty.
	 */
	int (*open_freezer)(const struct cgroup *c, bool make, const struct cgroup_freezer **how,
			    struct err *e);
	/*
	 * Remove the directories that open_freezer() has made. false: one is not empty yet. NULL:
	 * the group is its own freezer.
	 */
	bool (*remove_freezers)(const struct cgroup *c);
	/* The parent of such directories in hierarchy i; owned by the caller; -1: none. NULL: as
	 * above. */
	int (*open_freezers)(unsigned i);
	/* Move pages of a frozen group to swap, beyond its limit on swap. Best effort. */
	void (*swap_out)(const struct cgroup *c);
	/* Before it is thawed: that limit is what it was, even if swap_out() was killed. */
	int (*limit_swap)(const struct cgroup *c, struct err *e);
	const char *resident_file; /* bytes in memory */
	const char *swapped_file;  /* bytes in swap, after this key */
	const char *swapped_key;
};

extern const struct cgroup_layout cgroup_v1;
extern const struct cgroup_layout cgroup_v2;

/* What a group can do for a sandbox; names of v1's controllers, of which v2 has four. */
enum cgroup_controller {
	CGROUP_MEMORY, /* always: the peak is reported even without a limit */
	CGROUP_PIDS,
	CGROUP_CPU,
	CGROUP_CPUACCT,
	CGROUP_CPUSET,
	CGROUP_CONTROLLERS,
};

extern const char *const cgroup_controllers[CGROUP_CONTROLLERS];

/* Whether these limits need it. */
bool cgroup_needs(const struct limits *l, enum cgroup_controller controller);

/*
 * The error for an ordinary user to whom these controllers (a bit each) were not given. It names
 * all of them, what gives them, and what can be left out instead.
 */
int cgroup_not_given(unsigned lacking, struct err *e);

/* Write a limit; the error names file and value. */
int cgroup_put(int dir_fd, const char *file, const char *value, struct err *e);
int cgroup_put_number(int dir_fd, const char *file, uint64_t value, struct err *e);
/*
 * The same for the CPUs of a group; its parent's @file has those there are. ERR_INPUT: one is not
 * among them.
 */
int cgroup_put_cpuset(int dir_fd, const char *cpus, int parent_fd, const char *file, struct err *e);
/* Whether a list like "0-2,4" has a CPU. */
bool cgroup_cpuset_has(const char *list, long cpu);
/* v1: the CPUs and memory nodes of `from_fd` for a new group, which has none and takes no task. */
int cgroup_fill_cpuset(int dir_fd, int from_fd, struct err *e);
/* A number, alone in its file or after `key` in a "key value" list; 0 when absent. */
uint64_t cgroup_number(int dir_fd, const char *file, const char *key);
bool cgroup_host_has_swap(void);

#endif
