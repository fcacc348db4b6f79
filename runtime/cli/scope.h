/*
 * scope - have the user's systemd move us to a scope with delegated control groups (v2).
 *
 * A login's processes are in a group of the system (session-N.scope), and the kernel lets us move
 * nothing from there to a group of ours. The user's systemd can, with the help of the system's: it
 * makes a scope, delegated to us, and moves this process there. That costs some milliseconds, so
 * warm runs, whose group exists already, do without.
 *
 * We read in /proc whether the move has happened, and do not trust the answer. Every wait is
 * bounded: for a systemd that hangs, and for one of which only the socket is left.
 *
 * Runs: `glovebox run`, `warm start`, `agent`, `session repl`, `doctor`; before we have another
 * process, which would stay behind. Needs: a systemd of the user (a login or lingering); without
 * one it does nothing, and the limits report what is missing.
 */
#ifndef GLOVEBOX_CLI_SCOPE_H
#define GLOVEBOX_CLI_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Returns when we have the groups, when this way cannot provide them, or after a failure, which it
 * prints.
 */
void scope_enter(void);

/*
 * scope_ask - ask the systemd that listens at @path, and wait until `arrived` reports the move.
 * Returns 0; -1: *e. ERR_NOT_FOUND: no process listens.
 */
int scope_ask(const char *path, bool (*arrived)(void), uint64_t wait_ms, struct err *e);

#endif
