/*
 * builtin_filter - the shipped system call filter, compiled from policy/python.json by the build.
 *
 * No side effects. Runs: monitor, supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_SECCOMP_BUILTIN_FILTER_H
#define GLOVEBOX_SECCOMP_BUILTIN_FILTER_H

struct sock_filter; /* <linux/filter.h> */

/* The program for this architecture; static, never freed. *length: instructions. */
const struct sock_filter *builtin_filter(unsigned short *length);

#endif
