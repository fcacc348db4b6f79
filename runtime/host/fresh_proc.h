/*
 * fresh_proc - why a sandbox gets no /proc of its own, and what to do about it.
 *
 * In a user namespace the kernel mounts a new proc only if all of one can be seen already
 * (mount_too_revealing() in fs/namespace.c): containers and hardened hosts mount something over
 * parts of theirs, or have none.
 *
 * Runs: monitor, supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_FRESH_PROC_H
#define GLOVEBOX_HOST_FRESH_PROC_H

#include "base/buf.h"
#include "base/err.h"

/* 0, or ERR_UNSUPPORTED with the remedy: there is no /proc here, or no writable one. */
int fresh_proc_check_host(struct err *e);

/*
 * fresh_proc_refused - the error of a mount of proc. errno must be that call's.
 * Returns -1: ERR_UNSUPPORTED with cause and remedy, or ERR_SYSTEM when no cause is seen.
 */
int fresh_proc_refused(const char *what, struct err *e);

/* How many mounts hide a part of /proc; the first ones are named in @out, which may be NULL. */
unsigned fresh_proc_covers(struct buf *out);

/* A short-lived child tries it. 0, or -1 with errno. */
int fresh_proc_try(void);

#endif
