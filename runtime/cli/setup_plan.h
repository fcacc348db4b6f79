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
 * Behind the steps stand the commands that take them back (SETUP_BACK): of ids and of lingering
 * only what these steps give. Each does no harm where its step has failed.
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
	char user[64]; /* the name, or the uid if it has none */
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
	bool has_tmpfiles;   /* the file of an earlier glovebox is there */
	uint32_t free_subid; /* SUBIDS_COUNT of them are nobody's; 0: none are left */
	bool is_elsewhere;   /* all this is of a system that does not run: no command runs */
};

/*
 * setup_plan_make - every step, in order. Owned: setup_steps_fini().
 * Errors: ERR_UNSUPPORTED where nothing of this can be done, and why.
 */
int setup_plan_make(const struct setup_facts *facts, struct setup_steps *out, struct err *e);

/* A file for a user. Owned by the caller. */
char *setup_plan_path(enum setup_file file, uid_t uid);

#endif
