/*
 * fresh_proc - explain why a sandbox cannot mount /proc, and name the remedy.
 *
 * In a user namespace the kernel mounts a new proc only if another one is visible as a whole
 * (mount_too_revealing() in fs/namespace.c): containers and hardened hosts cover parts of theirs,
 * or have none.
 *
 * Runs: monitor, supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_NAMESPACE_FRESH_PROC_H
#define GLOVEBOX_NAMESPACE_FRESH_PROC_H

#include "base/buf.h"
#include "base/err.h"

/* 0, or ERR_UNSUPPORTED with the remedy: /proc is missing, or read-only. */
int fresh_proc_check_host(struct err *e);

/*
 * fresh_proc_refused - the error of a mount of proc. errno must be that call's. Returns -1:
 * ERR_UNSUPPORTED with cause and remedy, or ERR_SYSTEM for an unknown cause.
 */
int fresh_proc_refused(const char *what, struct err *e);

/* How many mounts hide a part of /proc; @out names the first ones, and may be NULL. */
unsigned fresh_proc_covers(struct buf *out);

/* Try it in a short-lived child. 0, or -1 with errno. */
int fresh_proc_try(void);

#endif
