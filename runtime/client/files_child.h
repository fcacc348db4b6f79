/*
 * files_child - the process that works in a session's /workspace.
 *
 *     the caller        any ids, any threads; it does not change
 *      |  a socket: the byte to begin; one struct files_answer, then the listing
 *      +-- the child    the sandbox's user; three descriptors; killed when late
 *
 * The child is a fork with our memory, which other processes must not read. So it is not dumpable
 * and leaves no core, and the sandbox's processes, which have the same ids, live in another pid
 * namespace. It runs no foreign code. Its working directory is the workspace; its root directory is
 * the host's: with the workspace as root it would lack /proc, and libc, which opens files of its
 * own by absolute paths, would find hostile ones. Path resolution keeps it below the workspace
 * (files.h).
 */
#ifndef GLOVEBOX_CLIENT_FILES_CHILD_H
#define GLOVEBOX_CLIENT_FILES_CHILD_H

#include "client/files.h"

/* The child's answer: this struct, whole or not at all, and then `json_length` bytes of JSON. */
struct files_answer {
	struct err error; /* kind ERR_NONE: success */
	struct files_got got;
	struct files_listed listed;
	uint64_t json_length;
};

/*
 * files_child_main - become the sandbox's user, perform the request, answer, exit.
 *
 * @channel  a blocking socket. The child touches nothing of the session before it has read a byte.
 * @parent   the child exits with this process.
 *
 * Runs: a fork of ours, with all signals blocked. Needs: see client/files.h.
 */
_Noreturn void files_child_main(const struct files_request *request, int channel, pid_t parent)
	__attribute__((nonnull));

#endif
