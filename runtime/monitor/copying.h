/*
 * copying - move files between this machine and a sandbox that stays, as a tar stream. It runs,
 * or its root has been opened again (monitor/reopen.h), or it is a session.
 *
 * Whatever touches files of the sandbox is a program in it, mover (runtime/mover), which has its
 * rights and no others. What touches files of this machine is the same program, as a child of ours.
 * Each takes the stream of the other for a stranger's.
 *
 * Runs: client. Needs: the caller's rights.
 */
#ifndef GLOVEBOX_MONITOR_COPYING_H
#define GLOVEBOX_MONITOR_COPYING_H

#include "base/buf.h"
#include "loop/loop.h"
#include "record/record.h"

/*
 * copying_out - write the tar of a path in the sandbox to a descriptor.
 *
 * @path  as `mover get` has it. @name  the top entry's; NULL: the last of the path.
 * @to    borrowed.
 * @by_us  mover is killed then: a monotonic time; LOOP_NEVER.
 * Returns 0; 1: something was left out, which mover has said on our standard error; -1 with *e.
 */
int copying_out(const struct record *r, const char *path, const char *name, int to, uint64_t by_us,
		struct err *e);

/*
 * copying_root - write what mover says of the root.
 * @verb  "changes" or "export" (mover/mover.c). @to  borrowed. The same returns.
 * Errors: ERR_UNSUPPORTED: the root cannot be changed.
 */
int copying_root(const struct record *r, const char *verb, int to, struct err *e);

/* copying_in - unpack a tar below a directory of the sandbox. @from: borrowed. The same returns. */
int copying_in(const struct record *r, int from, const char *directory, struct err *e);

/*
 * copying_look - what is at a path in the sandbox.
 * @type  out: 'f', 'd', 'l', 'o', or 0: nothing.
 */
int copying_look(const struct record *r, const char *path, char *type, struct err *e);

/*
 * copying_to_here, copying_from_here - between a path in the sandbox and one on this machine.
 *
 * @name  the top entry's. Coming out, nothing else is made in the directory, whatever the sandbox
 *        sends; NULL: of a path that ends in "/.", whose content may have any names. Going in:
 * NULL: the last of the path.
 */
int copying_to_here(const struct record *r, const char *path, const char *name,
		    const char *directory, struct err *e);
int copying_from_here(const struct record *r, const char *path, const char *name,
		      const char *directory, struct err *e);

#endif
