/*
 * places - the user's two directories that a session sees: /data and /output.
 *
 * We resolve paths once, without following a link that a program may have put there
 * (trusted_path.h). A program must not be able to change the path of a later mount, so we refuse a
 * workspace below the output directory, too.
 *
 * Touches the OS: makes a missing output directory, and removes it if it was made here, is empty
 * and not in use.
 *
 * Runs: a face whose sessions have them (agent, mcp). Needs: nothing.
 */
#ifndef GLOVEBOX_SESSION_PLACES_H
#define GLOVEBOX_SESSION_PLACES_H

#include <stdbool.h>

#include "base/err.h"
#include "spec/spec.h"

/* The paths as the user typed them; NULL: none. */
struct places_options {
	const char *workspace;
	const char *output;
	bool needs_workspace; /* false: a missing one counts as none */
};

struct places {
	char *workspace;  /* absolute, resolved, owned; NULL: none */
	char *output;     /* the same */
	int workspace_fd; /* owned; -1 */
	int output_fd;    /* owned; -1 */
	int lock_fd;      /* owned: of the output directory, shared by all its users; -1 */
	bool output_made; /* made here */
};

/* No directory is open. */
struct places places_none(void);

/*
 * places_open - resolve both, and make a missing output directory.
 *
 * @out  owned: places_close(). Empty on error.
 * Errors: ERR_SYSTEM, ERR_INPUT; the text begins with the flag. Nothing is left behind.
 */
int places_open(const struct places_options *o, struct places *out, struct err *e);

/*
 * places_add_mounts - mount the workspace at /data, read-only, and the output directory at /output.
 * @works_in_output  make /output the working directory.
 */
void places_add_mounts(const struct places *p, bool works_in_output, struct sandbox_spec *spec);

/* Safe on places_none(). */
void places_close(struct places *p);

#endif
