/*
 * setup_plan - what root does so that an ordinary user has limits and can build images, as data.
 *
 * Where it stays, so that it survives a boot:
 *
 * Where systemd runs: a drop-in for user@UID.service, and lingering, so that the user's own
 * systemd is always there. On v2 groups can be made below it, because of Delegate=yes (all
 * controllers). On v1 systemd delegates nothing, so commands of the drop-in make the groups of
 * host/cgroup_given.h. Where systemd does not run these commands are performed at once. On all:
 * uidmap (Debian), and a range of ids in /etc/subuid and /etc/subgid.
 *
 * The file that is ours also records what was done on the way, a comment line each, so that --undo
 * takes back that and no more. It is there before anything else is done. A line is added when the
 * command has succeeded, or if it cannot be added, what was done is taken back. A line goes only
 * when --undo has succeeded with it. So --undo is right after a failure at any step, of itself too:
 * do it again. (Only who is killed between a command and its line leaves what that one command
 * did.)
 *
 * No side effects. Runs: `glovebox setup`.
 */
#ifndef GLOVEBOX_CLI_SETUP_PLAN_H
#define GLOVEBOX_CLI_SETUP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "cli/setup_steps.h"

#define SETUP_MARK "# Made by glovebox setup user"

enum setup_layout { SETUP_NO_CGROUPS, SETUP_V1, SETUP_V2 };

/* Of v1: all that sandboxes, --cpu-time, --cpuset-cpus and freezing need; NULL ends it. */
extern const char *const setup_hierarchies[];

/* Files that are or were ours. */
enum setup_file {
	SETUP_TMPFILES, /* of an earlier glovebox, which made groups of v1 by systemd-tmpfiles(8) */
	SETUP_DROP_IN,
	SETUP_FILES,
};

/* What was found before. */
struct setup_facts {
	const char *user; /* the name, or the uid if it has none */
	uid_t uid;
	gid_t gid;
	enum setup_layout layout;
	unsigned hierarchies; /* of v1: a bit each, in the order of setup_hierarchies */
	unsigned old_groups;  /* the same: the user owns the limits there (cgroup_given_is_old()) */
	bool has_systemd;     /* it is the init here */
	bool has_apt;
	bool has_uidmap;
	bool has_subids;
	bool lingers;
	uint32_t free_subid;   /* SUBIDS_COUNT of them are nobody's; 0: none are left */
	const char *subids[2]; /* the texts of /etc/subuid and /etc/subgid */
	bool is_elsewhere; /* all this is of a system that does not run: no command runs, none is
			      recorded */
	const char *former[SETUP_FILES]; /* NULL: there is none */
};

/*
 * setup_plan_make - every step, in order. Owned: setup_steps_fini().
 * Errors: ERR_UNSUPPORTED where nothing of this can be done, and why.
 */
int setup_plan_make(const struct setup_facts *facts, bool undo, struct setup_steps *out,
		    struct err *e);

/* A file for a user. Owned by the caller. */
char *setup_plan_path(enum setup_file file, uid_t uid);

#endif
