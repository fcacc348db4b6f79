/*
 * stage - collect what a program left in the staged /output.
 *
 * Everything inside is dead by now, so nothing moves any more; but names,
 * types and sizes are hostile. Only regular files and directories are taken;
 * nothing is followed on either side; files appear under their final name
 * complete or not at all.
 *
 * Runs: supervisor, after the sandbox has ended.
 */
#ifndef GLOVEBOX_HOST_STAGE_H
#define GLOVEBOX_HOST_STAGE_H

#include "base/err.h"
#include "host/verdict.h"

/*
 * stage_open_target - the host directory that files will go to; made if missing.
 * Called before the run, so that a bad directory is found out early.
 * Returns an owned descriptor, or -1.
 */
int stage_open_target(const char *path, struct err *e);

/*
 * stage_collect - copy from the tmpfs to the target.
 *
 * @from_fd, @to_fd  directories; borrowed.
 * @max_bytes        of all files together, holes and hard links counted as bytes;
 *                   what does not fit any more is refused.
 * Files and refusals are listed in *v. Files belong to the target's owner when
 * we are root. Errors: only those of the target itself (disk full and kin).
 */
int stage_collect(int from_fd, int to_fd, uint64_t max_bytes, struct verdict *v, struct err *e);

#endif
