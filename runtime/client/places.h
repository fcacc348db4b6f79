/*
 * places - the two directories of the user that a session sees: /data, and /output.
 *
 * Paths are resolved once, without following a link that a program may have put there
 * (trusted_path.h). What a program can write must not be on the path of a later mount, so a
 * workspace below the output directory is refused, too.
 *
 * Touches the OS: makes the output directory if it is missing, and removes it if it was made here,
 * is empty and nobody else uses it.
 *
 * Runs: a face whose sessions have them (agent, mcp). Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_PLACES_H
#define GLOVEBOX_CLIENT_PLACES_H

#include <stdbool.h>

#include "base/err.h"
#include "spec/spec.h"

/* As the user wrote them; NULL: none. */
struct places_options {
	const char *workspace;
	const char *output;
	bool needs_workspace; /* else one that does not exist counts as none */
};

struct places {
	char *workspace;  /* absolute, resolved, owned; NULL: there is none */
	char *output;     /* the same */
	int workspace_fd; /* owned; -1 */
	int output_fd;    /* owned; -1 */
	int lock_fd;      /* owned: of the output directory, shared by all who use it; -1 */
	bool output_made; /* here */
};

/* Nothing is open. */
struct places places_none(void);

/*
 * places_open - resolve both, and make the output directory if it is missing.
 *
 * @out  owned: places_close(). Empty on error.
 * Errors: ERR_SYSTEM, ERR_INPUT; the text begins with the flag. Nothing is left behind.
 */
int places_open(const struct places_options *o, struct places *out, struct err *e);

/*
 * places_add_mounts - the workspace at /data, read-only, and the output directory at /output.
 * @works_in_output  that is the working directory, too.
 */
void places_add_mounts(const struct places *p, bool works_in_output, struct sandbox_spec *spec);

/* Safe for places_none(). */
void places_close(struct places *p);

#endif
