/*
 * data_listing - the content of a directory, for a model to read.
 *
 * One line for each file with its size, and the first lines of small and large text files.
 * Everything is bounded: entries, depth, bytes of names, bytes of contents. Names and contents are
 * hostile: see path_text.h and defuse.h. Only directories and regular files are opened, and no link
 * is followed.
 */
#ifndef GLOVEBOX_AGENT_DATA_LISTING_H
#define GLOVEBOX_AGENT_DATA_LISTING_H

#include "base/buf.h"

/*
 * data_listing - append the listing of a directory that the model knows as `folder`.
 *
 * @dir_fd  borrowed; -1: there is none.
 * Runs: the agent.  Never fails: the listing says what cannot be read.
 */
void data_listing(int dir_fd, const char *folder, struct buf *out);

#endif
