/*
 * policy_file - one file of ceilings: the limits of policy/ceiling.json, and what else it bounds.
 *
 *   "mounts": ["/srv/data", ...]   host directories: sources of mounts lie in them; []: none is
 *   "egress": ["example.org", ...] what a sandbox may reach (spec/egress_within.h); []: nothing
 *   "publish": false               no port is published
 *   "sandboxes": 20                that stay, of each user, at once
 *
 * A file bounds nothing else, and of several files each holds.
 *
 * Touches the OS: reads the file. Runs: anywhere outside. Needs: the right to read it.
 */
#ifndef GLOVEBOX_SPEC_POLICY_FILE_H
#define GLOVEBOX_SPEC_POLICY_FILE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/list.h"
#include "spec/spec.h"

struct policy_file {
	char *path;               /* owned */
	struct sandbox_spec said; /* never run: its limits, and its list of hosts */
	struct list mounts;       /* as they were written */
	struct list egress;       /* the same */
	uint64_t sandboxes;       /* SPEC_UNLIMITED: any number */
	int publish;              /* 0: none; otherwise any */
	bool bounds_mounts;
	bool bounds_egress;
};

/*
 * policy_file_open - open what others than root, or the user, cannot write to.
 *
 * @dir_fd  borrowed. @type  S_IFDIR or S_IFREG.
 * @users   it may be the user's as well.
 * Returns an owned descriptor; -1: ERR_INPUT, ERR_SYSTEM, without its name.
 */
int policy_file_open(int dir_fd, const char *name, mode_t type, bool users, struct err *e);

/*
 * policy_file_read - read one.
 *
 * @fd   of policy_file_open(); borrowed. @path  its own.
 * @out  end with policy_file_fini(), after an error as well.
 * Errors: ERR_INPUT, ERR_SYSTEM, without the path.
 */
int policy_file_read(int fd, const char *path, struct policy_file *out, struct err *e);
void policy_file_fini(struct policy_file *f);

/* policy_file_apply - bound a spec by all but the limits. Errors: ERR_LIMIT, naming the file. */
int policy_file_apply(const struct policy_file *files, size_t count, struct sandbox_spec *s,
		      struct err *e);

/* Append what it bounds besides limits: "mounts /srv/data (FILE)" each, after a separator. */
void policy_file_write(const struct policy_file *f, const char *before, const char *between,
		       struct buf *out);

#endif
