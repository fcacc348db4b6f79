/*
 * stage - collect what a program left in the staged /output.
 *
 * The program is dead by now. But what hands the stage over may be hostile, or whoever shares
 * a nursery with it: so names, types and sizes are a stranger's, and may change while we
 * look. What came is checked to be a file system of the sandbox's own; an entry is opened
 * once, and that descriptor is judged, read, and if need be made readable. Only regular
 * files and directories are taken; nothing is followed on either side; files appear under
 * their final name complete or not at all.
 *
 * On the host's side root writes with the rights of the target's owner: what is made is his
 * without a chown, and names that he exchanges meanwhile lead nowhere that he may not go.
 *
 * Runs: supervisor, after the sandbox has ended.
 */
#ifndef GLOVEBOX_HOST_STAGE_H
#define GLOVEBOX_HOST_STAGE_H

#include "base/err.h"
#include "host/verdict.h"

struct stage_limits {
	uint64_t bytes;   /* of all files together, holes and hard links counted as bytes */
	uint64_t entries; /* of files, directories and all else */
};

/*
 * stage_open_target - the host directory that files will go to; made if missing, where nobody
 * else can write (base/make_dir.h). Called before the run, so that a bad directory is found
 * out early. Returns an owned descriptor, or -1.
 */
int stage_open_target(const char *path, struct err *e);

/*
 * stage_check - is this the root of a tmpfs that is not mounted anywhere on our side?
 * @fd  borrowed. Errors: ERR_SYSTEM; then nothing of it may be touched.
 */
int stage_check(int fd, struct err *e);

/*
 * stage_collect - copy from the tmpfs to the target.
 *
 * @from_fd, @to_fd  directories; borrowed. The first has passed stage_check().
 * @limits           what does not fit any more is refused.
 * Files and refusals are listed in *v. Files belong to the target's owner when
 * we are root. Errors: only those of the target itself (disk full and kin).
 */
int stage_collect(int from_fd, int to_fd, const struct stage_limits *limits, struct verdict *v,
		  struct err *e);

#endif
