/*
 * session_spec - what a session is: python3 in an image, and a /workspace of its own.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_SESSION_SPEC_H
#define GLOVEBOX_CLIENT_SESSION_SPEC_H

#include "base/err.h"
#include "spec/spec.h"

#define WORKSPACE_BYTES (256u << 20) /* size of a session's /workspace */

/*
 * session_spec_finish - complete and check a spec that flags have filled.
 *
 * @image  as somebody typed it; NULL: that of the user's warm supervisor.
 * Errors: ERR_INPUT; with NULL also ERR_NOT_FOUND: there is no supervisor.
 */
int session_spec_finish(struct sandbox_spec *spec, const char *image, struct err *e);

/*
 * session_spec_check - whether a warm cell can be such a session, as far as can be known before one
 * is asked for.
 * @spec  finished.
 * Errors: ERR_INPUT: none can; its image's.
 */
int session_spec_check(const struct sandbox_spec *spec, struct err *e);

#endif
