/*
 * stage - collect the files that a program left in the staged /output.
 *
 * The program is dead by now. But the sender of the stage may be hostile, or share a nursery with a
 * hostile cell: names, types and sizes are not trusted, and may change while we look. So we check
 * that the stage is a file system of the sandbox's own; open each entry once; and judge, read, and
 * if need be make readable that descriptor. We take only regular files and directories, and follow
 * no link on either side. A file appears under its final name complete or not at all.
 *
 * On the host's side root writes with the rights of the target's owner: new files belong to the
 * owner without a chown, and names that the owner exchanges meanwhile lead only where the owner
 * may go.
 *
 * Runs: monitor, after the sandbox has ended. Needs: write access to the target.
 */
#ifndef GLOVEBOX_ROOT_STAGE_H
#define GLOVEBOX_ROOT_STAGE_H

#include "base/err.h"
#include "spec/spec.h"
#include "spec/verdict.h"

struct stage_limits {
	uint64_t bytes;   /* of all files together; holes and hard links count in full */
	uint64_t entries; /* files, directories and all others */
};

/*
 * stage_open_target - open the host directory for the files; make a missing one, if only we can
 * write there (fs/make_dir.h). Call it before the run, to find a bad directory early.
 *
 * @m  its source is the path; its bounds hold (host/mount_bound.h).
 * Returns an owned descriptor, or -1.
 */
int stage_open_target(const struct mount_spec *m, struct err *e);

/*
 * stage_check - whether this is the root of a tmpfs that is not mounted on our side.
 * @fd  borrowed. Errors: ERR_SYSTEM; the caller must not touch the stage then.
 */
int stage_check(int fd, struct err *e);

/*
 * stage_collect - copy from the tmpfs to the target.
 *
 * @from_fd, @to_fd  directories; borrowed. The first has passed stage_check().
 * @limits           files beyond them are refused.
 * Lists files and refusals in *v. As root, files belong to the target's owner. A file that cannot
 * be written (a full disk) is a refusal with its reason; it sets v->uncollected, and the rest is
 * collected. Errors: the directories themselves cannot be read.
 */
int stage_collect(int from_fd, int to_fd, const struct stage_limits *limits, struct verdict *v,
		  struct err *e);

#endif
