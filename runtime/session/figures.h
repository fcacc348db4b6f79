/*
 * figures - write the pictures of an answer to files.
 *
 * We never open an existing name or follow a link: hostile programs can write to the directory,
 * too.
 *
 * Runs: client. Needs: to write to the directory.
 */
#ifndef GLOVEBOX_SESSION_FIGURES_H
#define GLOVEBOX_SESSION_FIGURES_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

#define FIGURES_MAX 32 /* of one list */

/* The number of bundles in a list that have a PNG. */
size_t figures_count(const struct json *bundles);

/*
 * figures_save - write each picture of a list of bundles as figure-N.png (svg, jpeg, pdf), N free.
 * @dir_fd   borrowed.
 * @bundles  a list of bundles, or one bundle; NULL: none. Hostile.
 * @names    gets the names written, a line each; NULL: not wanted.
 * Invalid pictures and failed writes are skipped: the program could have saved the file itself.
 */
void figures_save(int dir_fd, const struct json *bundles, struct buf *names);

/*
 * figures_add_formats - add `,"formats":[...]` to the members of a request to run a source.
 * @formats  "png,svg", as the user typed it.
 * Errors: ERR_INPUT: a format is unknown.
 */
int figures_add_formats(const char *formats, struct buf *out, struct err *e);

#endif
