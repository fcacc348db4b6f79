/*
 * new_files - find new files in the output directory after an execution.
 *
 * Open figures are first written there, unless the program has saved at least as many pictures
 * itself: most programs do, and leave figures open.
 *
 * Touches the OS: reads a directory; writes figures (figures.h).
 */
#ifndef GLOVEBOX_AGENT_NEW_FILES_H
#define GLOVEBOX_AGENT_NEW_FILES_H

#include "agent/data/execution.h"
#include "base/json.h"
#include "fs/changes.h"

/*
 * new_files_collect - set x->files.
 * @before  changes_look() before the execution.
 * @answer  of the interpreter, hostile; NULL: there is none.
 */
void new_files_collect(int dir_fd, const struct file_marks *before, const struct json *answer,
		       struct execution *x);

/* new_files_drop_gone - remove from these executions the files that no longer exist. */
void new_files_drop_gone(int dir_fd, struct execution *executions, size_t count);

#endif
