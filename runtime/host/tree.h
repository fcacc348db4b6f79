/*
 * tree - the mounts of a plan, as detached trees that were judged where nobody can change them.
 *
 * A cell cannot open what `-v` names: its mount namespace never saw the host. Root clones
 * mounts where it is (root_plan); open_tree(2) lets nobody else. So an ordinary user's
 * are cloned by a process that lives a moment: in a user namespace of its own, with a
 * copy of our mounts, it may. It shares our memory and descriptors, so what it makes is ours.
 * A detached tree can be attached by whoever has its descriptor and may mount where he is
 * (move_mount(2)); the user namespace that it was made in does not matter.
 *
 * That copy of our mounts is private: what is cloned there alone is one mount for good; and
 * what has others below it is attached, judged mount by mount by their numbers, and cloned
 * again, so that neither a rename nor a mount of the host gets between. For root, too.
 */
#ifndef GLOVEBOX_HOST_TREE_H
#define GLOVEBOX_HOST_TREE_H

#include <stddef.h>

#include "base/err.h"
#include "inside/plan.h"

enum tree_which {
	TREE_NESTED, /* what has mounts below it: for a cold start, which opens the rest by path */
	TREE_ALL,    /* but what every root of the image has anyway: for a cell */
};

/*
 * tree_clone - give every bind a tree that has none.
 *
 * @ops  tree_fd is set; root_plan_fini() closes it, also what was made before an error.
 *
 * Runs: whoever starts a sandbox without privilege; without such a bind no process is started.
 * Needs: user namespaces. Signals: one thread, as everywhere where we clone.
 * Errors: ERR_SYSTEM naming the source, among them that it is not any more what was looked at;
 * ERR_UNSUPPORTED if one of the kernel's file systems is mounted below it.
 */
int tree_clone(struct root_op *ops, size_t count, enum tree_which which, struct err *e);

/*
 * tree_judge - the same judgement of a tree that has mounts below it, made by root where it is.
 * @op  tree_fd is replaced by a clone of what was judged; on error it is -1.
 */
int tree_judge(struct root_op *op, struct err *e);

#endif
