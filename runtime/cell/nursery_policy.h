/*
 * nursery_policy - the system call filter of a nursery: the shipped policy, and
 * what making cells takes (policy/nursery.json). Compiled at build time.
 *
 * A cell adds the shipped filter on top when it gives up its rights; the kernel
 * applies the strictest answer of both (seccomp(2)).
 */
#ifndef GLOVEBOX_CELL_NURSERY_POLICY_H
#define GLOVEBOX_CELL_NURSERY_POLICY_H

#include <linux/filter.h>

struct sock_fprog nursery_policy(void);

#endif
