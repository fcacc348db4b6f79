/*
 * setup_plan - plan root's steps so that an ordinary user has limits and can build images, as data.
 *
 * The steps must survive a boot:
 *
 * With systemd: a drop-in for user@UID.service, and lingering, so that the user's systemd always
 * runs. On v2 groups can be made below it, because of Delegate=yes (all controllers). On v1 systemd
 * delegates nothing, so commands of the drop-in make the groups of cgroup/cgroup_given.h. Without
 * systemd these commands run at once. On all: uidmap (Debian), and a range of ids in /etc/subuid
 * and /etc/subgid.
 *
 * After the steps come the commands that undo them (SETUP_BACK): of ids and lingering only what
 * these steps give. Each is harmless if its step has failed.
 *
 * No side effects. Runs: `glovebox setup`.
 */
#ifndef GLOVEBOX_ADMIN_SETUP_PLAN_H
#define GLOVEBOX_ADMIN_SETUP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "admin/setup_steps.h"
#include "base/err.h"

#define SETUP_MARK "# Made by glovebox setup user"

enum setup_layout { SETUP_NO_CGROUPS, SETUP_V1, SETUP_V2 };

/* v1: the hierarchies for sandboxes, --cpu-time, --cpuset-cpus and freezing; ends with NULL. */
extern const char *const setup_hierarchies[];

/* Files that are or were ours. */
enum setup_file {
	SETUP_TMPFILES, /* of an earlier glovebox, which made v1 groups by systemd-tmpfiles(8) */
	SETUP_DROP_IN,
	SETUP_FILES,
};

/* The facts before the first step. */
struct setup_facts {
	char user[64]; /* the name, or the uid if it has none */
	uid_t uid;
	gid_t gid;
	enum setup_layout layout;
	unsigned hierarchies; /* v1: a bit each, in the order of setup_hierarchies */
	unsigned old_groups;  /* the same: the user owns the limits there (cgroup_given_is_old()) */
	bool has_systemd;     /* systemd is the init */
	bool has_apt;
	bool has_uidmap;
	bool has_subids;
	bool lingers;
	bool has_tmpfiles;   /* the file of an earlier glovebox exists */
	uint32_t free_subid; /* start of SUBIDS_COUNT free ids; 0: none */
	bool is_elsewhere;   /* another system, which does not run: run no command */
};

/*
 * setup_plan_make - plan all steps, in order. Owned: setup_steps_fini().
 * Errors: ERR_UNSUPPORTED with the reason if nothing can be done.
 */
int setup_plan_make(const struct setup_facts *facts, struct setup_steps *out, struct err *e);

/* The path of a user's file. Owned by the caller. */
char *setup_plan_path(enum setup_file file, uid_t uid);

#endif
