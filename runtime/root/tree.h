/*
 * tree - clone the mounts of a plan as detached trees, judged where no process can change them.
 *
 * A cell cannot open the sources of `-v`: its mount namespace never saw the host. Root clones
 * mounts directly (root_plan); open_tree(2) refuses all other users. So a short-lived process
 * clones an ordinary user's mounts, in a user namespace of its own with a copy of our mounts. It
 * shares our memory and descriptors, so we own what it makes. Any process that has the descriptor
 * of a detached tree and may mount in its own namespace can attach it (move_mount(2)), whichever
 * user namespace made it.
 *
 * That copy of our mounts is private: a mount that is cloned alone there never changes. A source
 * with mounts below it is attached there, judged mount by mount by number, and cloned again, so
 * that neither a rename nor a mount of the host can intervene. Root does the same.
 *
 * Runs: monitor, client. Needs: root, or user namespaces.
 */
#ifndef GLOVEBOX_ROOT_TREE_H
#define GLOVEBOX_ROOT_TREE_H

#include <stddef.h>

#include "base/err.h"
#include "inside/plan.h"

enum tree_which {
	TREE_NESTED, /* sources with mounts below: for a cold start */
	TREE_ALL,    /* all sources that the image's root does not have anyway: for a cell */
};

/*
 * tree_clone - clone a tree for every bind that lacks one.
 *
 * @ops  sets tree_fd; root_ops_fini() closes it, also after an error.
 *
 * Without such a bind it starts no process. The caller has one thread, as wherever we clone.
 * Errors: ERR_SYSTEM naming the source, also when it has been exchanged since it was judged;
 * ERR_UNSUPPORTED if one of the kernel's file systems is mounted below it.
 */
int tree_clone(struct root_op *ops, size_t count, enum tree_which which, struct err *e);

/*
 * tree_judge - judge a tree with mounts below it that root has cloned, in the same way.
 * @op  tree_fd is replaced by a clone of the judged tree; on error it is -1.
 */
int tree_judge(struct root_op *op, struct err *e);

/*
 * tree_try - whether root can clone a mount here. 0, also for ordinary users, who do not clone, or
 * -1 with *e of namespaces_no_clone().
 */
int tree_try(struct err *e);

#endif
