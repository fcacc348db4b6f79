/*
 * figures - pictures that came with an answer, written where the program's files go.
 *
 * Touches the OS: makes files in one directory. An existing name is never opened, and no
 * link is followed: the directory belongs to hostile programs as much as to the user.
 */
#ifndef GLOVEBOX_AGENT_FIGURES_H
#define GLOVEBOX_AGENT_FIGURES_H

#include "base/json.h"

#define FIGURES_MAX 32 /* of one execution */

/* The number of pictures in a list of MIME bundles. */
size_t figures_count(const struct json *bundles);

/*
 * figures_save - write each picture of a list of bundles as figure-N.png, with N free.
 * @dir_fd   borrowed.
 * @bundles  a list of bundles, or one bundle; NULL: none. Hostile.
 * What cannot be written or is not a PNG is left out: the program could have saved it itself.
 */
void figures_save(int dir_fd, const struct json *bundles);

#endif
