/*
 * scope - let the user's own systemd move us to a scope, to have control groups on v2.
 *
 * A login's processes are in a group of the system's (session-N.scope), and nothing may be moved
 * from there to a group of ours. The user's systemd may, with the help of the system's: it makes a
 * scope, delegated to us, and moves this process there. That costs some milliseconds, so a run that
 * is served warm, whose group is there already, does not.
 *
 * Whether it has happened is read in /proc, never believed. Nothing waits without a bound: neither
 * for a systemd that hangs, nor for one of which only the socket is left.
 *
 * Runs: `glovebox run`, `warm start`, `agent`, `session repl`, `doctor`; before there is another
 * process of ours, which would stay behind. Needs: a systemd of the user's (a login or lingering);
 * without one nothing happens, and what needs limits says what is missing.
 */
#ifndef GLOVEBOX_CLI_SCOPE_H
#define GLOVEBOX_CLI_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Returns if we have what is needed, if it cannot be had that way, or if that failed, which is
 * said. */
void scope_enter(void);

/*
 * scope_ask - ask the systemd that listens there, and wait until `arrived` says that we are moved.
 * Returns 0; -1: *e. If nobody listens it is ERR_NOT_FOUND.
 */
int scope_ask(const char *path, bool (*arrived)(void), uint64_t wait_ms, struct err *e);

#endif
