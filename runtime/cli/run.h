/*
 * run - what `run` and `run --detach` share.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_RUN_H
#define GLOVEBOX_CLI_RUN_H

#include <stdbool.h>

#include "cli/presentation.h"
#include "monitor/record_keep.h"

/* Write the id to a file that must not exist (docker run --cidfile). */
int run_write_cidfile(struct written_path path, const char *id, struct err *e);

/* The program was not found, or cannot be executed: add to *e what may have been meant. */
void run_add_meant(const struct sandbox_spec *spec, struct err *e);

/*
 * Print the error. Returns the exit status: docker's 126 and 127 refer to the command, which only
 * has been looked for if the run has started.
 */
int run_failed(const struct err *e, bool started);

/*
 * Read the words of `run`, which are argv[1] and on.
 * @show  with `help` set nothing was read: only help is wanted, and -1 is returned.
 */
int run_parse(int argc, char **argv, struct sandbox_spec *spec, struct presentation *show,
	      struct err *e);

/*
 * detach - start the sandbox in a process of its own, its monitor, wait until its program has been
 * executed, and print its id. Returns the exit status.
 *
 * @origin  the words that the spec was read from, for `start`.
 * @again   the id of a sandbox that has ended: start that anew, and print nothing. NULL: a new one.
 */
int detach(struct sandbox_spec *spec, const struct presentation *show,
	   const struct record_origin *origin, const char *again);

/* The same, but only make its record: `start` starts it. */
int detach_create(struct sandbox_spec *spec, const struct presentation *show,
		  const struct record_origin *origin);

#endif
