/*
 * branch_check - whether the code that moved into a branch is confined, as seen from outside.
 *
 * It ran through the moves by itself, with foreign code in its memory (inside/branch.h). So every
 * thread in the branch's group is looked at: ids, all five capability sets empty,
 * no_new_privs, filtered, a process group of its own, in the branch's namespaces and under its
 * root. None of that can be taken back, and a thread without capabilities starts none that has
 * some: once a list of all threads holds none that was not looked at before, all is well.
 *
 * Runs: clients.
 */
#ifndef GLOVEBOX_CELL_BRANCH_CHECK_H
#define GLOVEBOX_CELL_BRANCH_CHECK_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "inside/branch.h"

struct branch_place {
	int namespaces[BRANCH_NAMESPACES]; /* owned; -1 */
	int root;                          /* owned; -1 */
	pid_t init;                        /* its pid 1, as we see it */
	uint32_t uid;                      /* that its code has, as we see it */
	uint32_t gid;
};

/* What /proc/PID/ns calls it. */
const char *branch_namespace_name(enum branch_fd which);

/*
 * branch_check - look until there is pid 1 and one process more, and that one is confined.
 *
 * @group   a directory of its cgroup; borrowed.
 * @inside_pid  out: that process's pid in the branch.
 * Errors: ERR_SYSTEM, naming what is not as it must be: the branch is to be killed.
 */
int branch_check(const struct branch_place *place, int group, uint32_t *inside_pid, struct err *e);

#endif
