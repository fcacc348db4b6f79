/*
 * reopen - look at the root that a sandbox has left: a sandbox of the same image, in which what was
 * changed is laid (monitor/layer.h) and mover alone runs.
 *
 * So the tree that foreign code wrote is looked at inside a sandbox, as if the first one still ran.
 *
 * Runs: client. Needs: those of a cold run.
 */
#ifndef GLOVEBOX_MONITOR_REOPEN_H
#define GLOVEBOX_MONITOR_REOPEN_H

#include "base/err.h"
#include "spec/spec.h"

/*
 * reopen - write what `verb` says of the root: "changes" or "export" (mover/mover.c).
 *
 * @spec   finished, with a root that can be changed; it stays, and its program never starts.
 * @layer  of layer_open(); borrowed; -1: nothing was changed.
 * @to     borrowed.
 * Returns 0; 1: something was left out, which mover has said on our standard error; -1 with *e.
 */
int reopen(const struct sandbox_spec *spec, int layer, const char *verb, int to, struct err *e);

#endif
