/*
 * nursery_policy - the system call filter of a nursery: the shipped policy, and the calls that make
 * cells (policy/nursery.json). Compiled at build time.
 *
 * A cell adds the shipped filter on top when it gives up its rights; the kernel applies the
 * stricter answer of both (seccomp(2)).
 *
 * No side effects. Runs: supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_WARM_NURSERY_POLICY_H
#define GLOVEBOX_WARM_NURSERY_POLICY_H

#include <linux/filter.h>

/* The program for this architecture; static, never freed. */
struct sock_fprog nursery_policy(void);

#endif
