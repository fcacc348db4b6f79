/*
 * mapped_ids - read files of a sandbox whose ids are not those of the ordinary user who started it.
 *
 * The files are on a tmpfs of a user namespace below ours, and only a process in a user namespace
 * that maps both ids has rights over them. A process cannot return from such a namespace, so a
 * child enters it. The child keeps its ids, and of the capabilities there only the one to read.
 *
 * Runs: monitor, client. Needs: to be the user who made the namespace.
 */
#ifndef GLOVEBOX_NAMESPACE_MAPPED_IDS_H
#define GLOVEBOX_NAMESPACE_MAPPED_IDS_H

#include <stdint.h>

#include "base/err.h"

/*
 * Enter the namespace for good, in a child. The caller owns it, so the kernel's commit_creds()
 * takes the new credentials for a subset of the old ones: it changes neither the parent-death
 * signal nor the dumpable flag, which belongs to the memory that a child may share.
 */
int mapped_ids_enter(int users_fd, struct err *e);

/*
 * mapped_ids_become - enter it for good as one of its ids, with a directory as the root: what runs
 * then reaches no other file of this machine by a path, and has no id of the caller's, root's
 * neither.
 *
 * @uid, @gid  inside.
 * @root       borrowed.
 * Runs: a child with memory of its own, which sets its parent-death signal afterwards.
 */
int mapped_ids_become(int users_fd, uint32_t uid, uint32_t gid, int root, struct err *e);

/*
 * mapped_ids_call - call @what in a child that shares our memory and descriptors and enters the
 * namespace.
 * @what  returns 0, or -1. The caller has one thread, and waits.
 */
int mapped_ids_call(int users_fd, int (*what)(void *argument, struct err *e), void *argument,
		    struct err *e);

#endif
