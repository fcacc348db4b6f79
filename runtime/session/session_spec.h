/*
 * session_spec - the spec of a session: python3 in an image, and a /workspace of its own.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_SESSION_SESSION_SPEC_H
#define GLOVEBOX_SESSION_SESSION_SPEC_H

#include "base/err.h"
#include "spec/spec.h"

#define WORKSPACE_BYTES (256u << 20) /* size of a session's /workspace */

/*
 * session_spec_finish - complete and check a spec that flags have filled.
 *
 * @image  as the user typed it; NULL: that of the user's warm supervisor.
 * Errors: ERR_INPUT; with NULL also ERR_NOT_FOUND: no supervisor is running.
 */
int session_spec_finish(struct sandbox_spec *spec, const char *image, struct err *e);

/*
 * session_spec_finish_own - the same for a session of a process's own, which can start a supervisor
 * for itself: where no user's supervisor runs, NULL is the image `python`.
 */
int session_spec_finish_own(struct sandbox_spec *spec, const char *image, struct err *e);

/* Add a workspace: a tmpfs of that size, and of so many files and directories. */
void session_spec_add_workspace(struct sandbox_spec *spec, const char *place, uint64_t inodes);

/*
 * session_spec_check - whether a warm cell can be such a session, as far as this is known before
 * asking for one.
 * @spec  finished.
 * Errors: ERR_INPUT: a cell cannot; those of its image.
 */
int session_spec_check(const struct sandbox_spec *spec, struct err *e);

#endif
