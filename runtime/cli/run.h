/*
 * run - what `run` and `run --detach` share.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_RUN_H
#define GLOVEBOX_CLI_RUN_H

#include <stdbool.h>

#include "base/list.h"
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
 * @later  flags that `update` has added, read after those of argv; NULL: none.
 * @show  with `help` set nothing was read: only help is wanted, and -1 is returned.
 */
int run_parse(int argc, char **argv, const struct list *later, struct sandbox_spec *spec,
	      struct presentation *show, struct err *e);

/*
 * start_parse - read the command line of a record again, in the directory in which it was said,
 * which the process enters.
 * @later  flags of `update` in place of those that the record has; NULL: those.
 * @words  out: the command line.
 * @spec   initialized.
 */
int start_parse(const struct record *r, const struct list *later, struct list *words,
		struct sandbox_spec *spec, struct presentation *show, struct err *e);

/* update_apply - apply flags that `update` has kept to a spec, before it is finished. */
int update_apply(const struct list *flags, struct sandbox_spec *spec, struct err *e);

/* The flags of `update` that a record has. */
int update_flags(const struct record *r, struct list *out, struct err *e);

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
