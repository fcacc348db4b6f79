/*
 * cell - a sandbox that begins as a copy of a warm Python instead of as an exec.
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
 *        └──────────────── control ────────────┼─ execve: cell-init, 10 KB, reaps and reports
 *
 * The nursery is a sandbox like any other, except that it keeps capabilities over
 * its own user namespace and has a filter that lets it make cells. It forks each
 * one exactly once: pid 1 borrows the nursery's memory while that sleeps (vfork),
 * enters the namespaces, and forks the program as os.fork() does, so that every fork
 * handler of Python and libc runs and the copy is made in the right cgroup. Then pid 1
 * replaces itself.
 *
 * The waiting program still holds the nursery's capabilities; no foreign code is in
 * its memory. A start order brings a plan, the same as for a cold start; the same
 * steps build the root and take every right away; then the program runs.
 *
 * These functions are the interface of cell.so, which the guest (rootfs/guest)
 * loads with ctypes. No libc: the image may have any.
 */
#ifndef GLOVEBOX_INSIDE_CELL_H
#define GLOVEBOX_INSIDE_CELL_H

#include <linux/prctl.h>

#include "inside/plan.h"

#define CELL_MAX_FDS 200 /* of one message; the kernel's own bound is 253 (SCM_MAX_FD) */

/*
 * A plan crosses in a memfd that both sides map at this address, so its pointers
 * hold on both. Nothing else lives there: it is far from where programs, heaps and
 * libraries are put; where something does, mapping fails and the run is refused.
 */
#define CELL_PLAN_ADDRESS 0x200000000000ul

#define CELL_PROGRAM      2 /* pid of the program: pid 1 forks once */

/*
 * Supervisor to nursery: make one cell. Descriptors: control, start, then cgroup tasks.
 * There is no answer: the cell's own pid 1 speaks up on `control`, or that ends.
 */
struct cell_call {
	uint32_t cgroup_count;
};

/* To the waiting program. Descriptors: plan, then stdin (if any), stdout, stderr, channel, trees.
 */
struct cell_start {
	uint64_t plan_bytes;
	uint32_t stdio_count;   /* 0: a pty is made inside; 2: no stdin; 3 */
	uint32_t channel_count; /* 0 or 1 */
	uint32_t tree_count;    /* tree_fd of the plan's operations are indices into these */
};

/* How to fork a Python, by address: what os.fork() does (Modules/posixmodule.c). */
struct cell_fork {
	void (*before)(void);       /* PyOS_BeforeFork */
	void (*after_parent)(void); /* PyOS_AfterFork_Parent */
	void (*after_child)(void);  /* PyOS_AfterFork_Child */
	int (*fork)(void);          /* of libc */
	const char *init_path;      /* of the program cell-init, as the nursery sees it */
};

/* Of the program of a cell that waits. */
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
 * Runs: nursery. Needs: SYS_ADMIN NET_ADMIN SETPCAP over its user namespace.
 * Returns CELL_ANOTHER in the nursery; CELL_END when the supervisor is gone; CELL_BORN
 * in the new program, which is to call cell_enter().
 */
int cell_make(int socket, const struct cell_fork *how, struct cell_place *place);

/*
 * cell_enter - wait for the start order and confine this process.
 *
 * @memory               of this process, as PR_SET_MM_MAP wants it (prctl(2)): its argument
 *                       and environment addresses are set to the request's, for ps(1).
 * @out_argv, @out_envp  the program's, valid until cell_forget().
 * Runs: the program of a cell. Needs: what it was forked with; afterwards it has none.
 * Does not return on failure: the error goes home and the process ends.
 */
void cell_enter(const struct cell_place *place, struct prctl_mm_map *memory, char *const **out_argv,
		char *const **out_envp);

/* Unmap the plan: it names paths of the host. */
void cell_forget(void);

#endif
