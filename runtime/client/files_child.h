/*
 * files_child - the process that reaches into a session's /workspace, in our place.
 *
 *     the caller        any ids, any threads; nothing of it changes
 *      |  a socket: the word to begin; one struct files_answer, then the listing
 *      +-- the child    the sandbox's user; three descriptors; killed when it is late
 *
 * It is a fork: our memory is in it, so nobody may look into it. It is not dumpable, leaves no
 * core, and the sandbox's processes, which have the same ids, live in another pid namespace. No
 * foreign code runs in it. Its working directory is the workspace; its root directory is the
 * host's. In the workspace, as the root, it would miss /proc, and libc, which looks for files of
 * its own by absolute paths, would find a stranger's. What keeps it below is how each path is
 * resolved (files.h).
 */
#ifndef GLOVEBOX_CLIENT_FILES_CHILD_H
#define GLOVEBOX_CLIENT_FILES_CHILD_H

#include "client/files.h"

/* What the child says: this, whole or not at all, and then `json_length` bytes of JSON. */
struct files_answer {
	struct err error; /* kind ERR_NONE: it is done */
	struct files_got got;
	struct files_listed listed;
	uint64_t json_length;
};

/*
 * files_child_main - become the sandbox's user, do what is asked, answer, end.
 *
 * @channel  a socket that blocks. Nothing of the session is touched before a byte has come by it.
 * @parent   whose end is ours, too.
 *
 * Runs: a fork of ours, with all signals blocked. Needs: see client/files.h.
 */
_Noreturn void files_child_main(const struct files_request *request, int channel, pid_t parent)
	__attribute__((nonnull));

#endif
