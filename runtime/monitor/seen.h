/*
 * seen - what is told of files in a sandbox that stays, or a session: what changes in a directory,
 * and how much files take.
 *
 * A program in the sandbox looks (runtime/mover), with its rights: what it says is a stranger's.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_SEEN_H
#define GLOVEBOX_MONITOR_SEEN_H

#include "record/record.h"
#include "workspace/mover_told.h"

#define SEEN_MOST 1000000u /* names that seen_usage() counts */

/*
 * seen_changes - watch a directory until it is gone, or changes are lost.
 *
 * @path  absolute, as in the next.
 * @take  the first change is FILES_WATCHED: what is changed from then on is told. It returns
 * whether to go on. Returns 0: not to go on; -1: *e is as of mover_told_judge(), or ERR_GONE: the
 * sandbox has ended.
 */
int seen_changes(const struct record *r, const char *path, bool is_deep,
		 bool (*take)(void *context, const struct change *change), void *context,
		 struct err *e);

/* seen_usage - how much the files below a path take. Errors: as of mover_told_usage(). */
int seen_usage(const struct record *r, const char *path, struct files_usage *out, struct err *e);

#endif
