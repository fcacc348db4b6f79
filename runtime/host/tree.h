/*
 * tree - the mounts of a plan, as detached trees made without privilege.
 *
 * A cell cannot open what `-v` names: its mount namespace never saw the host. Root clones
 * mounts where it is (root_plan); open_tree(2) lets nobody else. So an ordinary user's
 * are cloned by a process that lives a moment: in a user namespace of its own, with a
 * copy of our mounts, it may. It shares our memory and descriptors, so what it makes is ours.
 * A detached tree can be attached by whoever has its descriptor and may mount where he is
 * (move_mount(2)); the user namespace that it was made in does not matter.
 */
#ifndef GLOVEBOX_HOST_TREE_H
#define GLOVEBOX_HOST_TREE_H

#include <stddef.h>

#include "base/err.h"
#include "inside/plan.h"

/*
 * tree_clone - give every bind a tree that has none and is not in the image's root anyway.
 *
 * @ops  tree_fd is set; root_plan_fini() closes it, also what was made before an error.
 *
 * Runs: clients of a warm cell; without such a bind no process is started.
 * Needs: user namespaces. Signals: one thread, as everywhere where we clone.
 * Errors: ERR_SYSTEM naming the source, among them that it is not any more what was looked at.
 */
int tree_clone(struct root_op *ops, size_t count, struct err *e);

#endif
