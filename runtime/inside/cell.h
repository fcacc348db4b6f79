/*
 * cell - a sandbox that starts as a copy of a warm Python, without an exec.
 *
 * Theory of operation
 * ===================
 *
 *   supervisor ── calls (SOCK_SEQPACKET) ── nursery: Python, everything imported, runs
 *        │                                     │      only our code
 *        │ control, start                      ├─ vfork ─ pid 1 of a cell: new namespaces,
 *        │ (two socket pairs per cell)         │          its cgroup, then forks
 *        │                                     │            │
 *        │                                     │            └─ fork() ─ the program: a copy of
 *        │                                     │               the nursery; waits on `start`
 *        └──────────────── control ────────────┼─ execve: cell-init, small, reaps and reports
 *
 * The nursery is a sandbox like any other, except that it keeps capabilities over its own user
 * namespace and has a filter that lets it make cells. It forks each cell exactly once: pid 1
 * borrows the nursery's memory while the nursery sleeps (cell_birth.c), and forks the program as
 * os.fork() does, so that every fork handler of Python and libc runs and the copy is made in the
 * right cgroup. Then pid 1 replaces itself.
 *
 * The waiting program holds capabilities over the cell's namespaces; its memory contains no foreign
 * code. A start order brings a plan, the same as for a cold start; the same steps build the root
 * and drop every right; then the program runs.
 *
 * These functions are the interface of cell.so, which the guest (rootfs/guest) loads with ctypes.
 * It uses no libc, because the image may have any.
 *
 * Runs: nursery and program of a cell. Needs: see each function.
 */
#ifndef GLOVEBOX_INSIDE_CELL_H
#define GLOVEBOX_INSIDE_CELL_H

#include <linux/prctl.h>

#include "inside/plan.h"

#define CONTROL_FD   3 /* of cell-init */

#define CELL_PROGRAM 2 /* pid of the program: pid 1 forks once */

#define CELL_VERSION 2 /* of what a client sends to a cell, and of when it does */

/*
 * Supervisor to nursery: make one cell. The nursery does not answer: pid 1 reports on `control`, or
 * that socket ends. Descriptors: control, start, then cgroup tasks.
 */
struct cell_call {
	uint32_t cgroup_count;
	uint32_t uid; /* in the cell's user namespace */
	uint32_t gid;
	uint32_t outer_uid; /* the same user in the nursery's user namespace */
	uint32_t outer_gid;
	char omit[128]; /* layers that its pid 1 leaves out, in the testing build */
};

/*
 * To the waiting program. Descriptors: plan, then stdin (if any), stdout, stderr, channel, egress,
 * trees.
 */
struct cell_start {
	uint64_t plan_bytes;
	uint32_t stdio_count;   /* 0: a pty is made inside; 2: no stdin; 3: all */
	uint32_t channel_count; /* 0 or 1 */
	uint32_t egress_count;  /* 0 or 1 */
	uint32_t tree_count;    /* tree_fd of the plan's operations is an index into these */
};

/* Pages that a copy of the nursery requests at once, instead of by page faults. */
struct cell_range {
	uint64_t start;
	uint64_t bytes;
	int64_t advice; /* of madvise(2) */
};

struct cell_pages {
	const struct cell_range *ranges;
	uint64_t count;
};

/* How to fork a Python, by address: the parts of os.fork() (Modules/posixmodule.c). */
struct cell_fork {
	void (*before)(void);       /* PyOS_BeforeFork */
	void (*after_parent)(void); /* PyOS_AfterFork_Parent */
	void (*after_child)(void);  /* PyOS_AfterFork_Child */
	int (*fork)(void);          /* of libc */
	/* Opened in the nursery, so that no name is looked up later. */
	int init_fd;               /* the program cell-init */
	int proc_fd;               /* /proc */
	struct cell_pages certain; /* pages that every program touches (prefault.py) */
	struct cell_pages likely;  /* pages that many programs touch */
};

/* The program of a waiting cell. */
struct cell_place {
	int control;
	int start;
};

enum { CELL_END = -1, CELL_ANOTHER = 0, CELL_BORN = 1 };

/*
 * cell_make - wait for one call of the supervisor and make a cell.
 *
 * @socket  the nursery's end.
 * @place   out, with CELL_BORN.
 *
 * Runs: nursery. Needs: the capabilities of a nursery (caps.c). Returns CELL_ANOTHER in the
 * nursery; CELL_END when the supervisor has ended; CELL_BORN in the new program, which must call
 * cell_enter().
 */
int cell_make(int socket, const struct cell_fork *how, struct cell_place *place);

/*
 * cell_fork_apart - os.fork(), but the copy becomes a child of our parent, pid 1.
 *
 * Code in this process that waits for children does not see the copy. The process between them
 * borrows our memory (vfork), so it is copied only once.
 * Runs: the program of a session, with foreign code in its memory; the GIL is held. Needs: nothing.
 * Returns 1, 0 in the copy, or a negative errno.
 */
long cell_fork_apart(const struct cell_fork *how);

/*
 * cell_enter - wait for the start order and confine this process.
 *
 * A cell that waits for a while requests the likely pages of @how meanwhile.
 * @memory               of this process, as PR_SET_MM_MAP wants it (prctl(2)): its argument and
 *                       environment addresses are set to the request's, for ps(1).
 * @out_argv, @out_envp  the program's, valid until cell_forget().
 * Runs: the program of a cell. Needs: the capabilities it was forked with; afterwards it has none.
 * On failure it reports the error and exits.
 */
void cell_enter(const struct cell_place *place, const struct cell_fork *how,
		struct prctl_mm_map *memory, char *const **out_argv, char *const **out_envp);

/* Unmap the plan: it names paths of the host. */
void cell_forget(void);

#endif
