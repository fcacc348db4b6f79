/*
 * data_listing - describe the content of a directory to a model.
 *
 * One line per file with its size, and the first lines of text files. Everything is bounded:
 * entries, depth, bytes of names, bytes of contents. Names and contents are hostile: see
 * path_text.h and defuse.h. Only directories and regular files are opened, and links are not
 * followed.
 */
#ifndef GLOVEBOX_AGENT_DATA_LISTING_H
#define GLOVEBOX_AGENT_DATA_LISTING_H

#include "base/buf.h"

/*
 * data_listing - append the listing of a directory that the model knows as `folder`.
 *
 * @dir_fd  borrowed; -1: none.
 * Runs: the agent.  Never fails: the listing names what could not be read.
 */
void data_listing(int dir_fd, const char *folder, struct buf *out);

#endif
