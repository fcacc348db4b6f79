/*
 * branch - a session's code moves into namespaces that were made for a copy of it.
 *
 * Theory of operation
 * ===================
 *
 *   session A: user namespace U, pid namespace P           branch B: below U, below P
 *     pid 1 (stays: the anchor)                               pid 1 (cell-init)
 *     worker ── fork ── copy ── branch_enter() ── fork ── branch_settle(): the new worker
 *       \ killed, with everything else that runs in A, when all branches stand
 *
 * The code has no capability. But B's user namespace is a child of U and belongs to the id
 * that the code runs under, and an owner may enter what is his (user_namespaces(7)): then
 * it holds all capabilities over B, and nothing else. It enters B's other namespaces and root,
 * and gives everything up again. All of that happens in a process whose memory is foreign
 * code's: nobody believes that it did. The driver looks from outside, before it hands over
 * files or work (cell/branch_check.h).
 *
 * An owner could enter again. So nothing of the session may stay in U: the session itself
 * goes on in a branch, too.
 *
 * No libc: these are functions of cell.so.
 */
#ifndef GLOVEBOX_INSIDE_BRANCH_H
#define GLOVEBOX_INSIDE_BRANCH_H

/* In the order of entering: the first gives the rights for the others. */
enum branch_fd {
	BRANCH_USER,
	BRANCH_MNT,
	BRANCH_NET,
	BRANCH_IPC,
	BRANCH_UTS,
	BRANCH_CGROUP,
	BRANCH_PID, /* for the children of who enters */
	BRANCH_NAMESPACES,
};

/*
 * branch_enter - enter all namespaces of a branch.
 * Runs: a copy of a session's worker, with one thread. Returns 0 or a negative errno.
 */
long branch_enter(const int fds[BRANCH_NAMESPACES]);

/*
 * branch_settle - take the root, give up what entering gave.
 * Runs: its child. Returns 0 or -1: the process must end.
 */
long branch_settle(int root_fd);

#endif
