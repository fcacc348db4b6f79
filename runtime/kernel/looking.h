/*
 * looking - what an editor asks of the session's interpreter (rootfs/guest/look.py): how a name
 * goes on, what it is, whether a cell is whole, which Python it is.
 *
 * Runs: kernel. Needs: what asking a supervisor for a cell needs.
 */
#ifndef GLOVEBOX_KERNEL_LOOKING_H
#define GLOVEBOX_KERNEL_LOOKING_H

#include "kernel/kernel.h"

/* Begin to answer the request that is being done. */
void looking_complete(struct kernel *k);
void looking_inspect(struct kernel *k);
void looking_judge(struct kernel *k); /* is_complete_request */

/* Begin the session, and learn its Python's version; no client gets an answer. */
void looking_learn(struct kernel *k);

#endif
