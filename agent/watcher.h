/*
 * watcher - tell the sinks, while code runs, the time and its output.
 */
#ifndef GLOVEBOX_AGENT_WATCHER_H
#define GLOVEBOX_AGENT_WATCHER_H

#include "agent/loop.h"

/* For one execution of a task, which is borrowed. */
struct execution_bounds watcher_bounds(const struct task *t);

/* @l  borrowed by the watcher. */
struct run_watcher watcher_of(struct agent_loop *l);

#endif
