/*
 * setup_plan - what root does so that an ordinary user has limits and can build images, as data.
 *
 * Where it stays, so that it survives a boot:
 *
 * On v2, by systemd: a drop-in for user@UID.service with Delegate=yes (all controllers), and
 * lingering, so that the user's own systemd, below which groups can be made, is always there. On
 * v1: a file for systemd-tmpfiles(8), which makes a group of the user's in each hierarchy. On both:
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
#include "base/list.h"

#define SETUP_MARK "# Made by glovebox setup user"

enum setup_layout { SETUP_NO_CGROUPS, SETUP_V1, SETUP_V2 };

/* Of v1: all that sandboxes, --cpu-time, --cpuset-cpus and freezing need; NULL ends it. */
extern const char *const setup_hierarchies[];

/* What was found before. */
struct setup_facts {
	const char *user; /* the name, or the uid if it has none */
	uid_t uid;
	gid_t gid;
	enum setup_layout layout;
	unsigned hierarchies; /* of v1: a bit each, in the order of setup_hierarchies */
	bool has_systemd;     /* it is the init here */
	bool has_tmpfiles;    /* systemd-tmpfiles */
	bool has_apt;
	bool has_uidmap;
	bool has_subids;
	bool lingers;
	uint32_t free_subid;   /* SUBIDS_COUNT of them are nobody's; 0: none are left */
	const char *subids[2]; /* the texts of /etc/subuid and /etc/subgid */
	bool is_elsewhere; /* all this is of a system that does not run: no command runs, none is
			      recorded */
	const char *former[2]; /* our file of each layout, v1's first; NULL: there is none */
};

enum setup_kind {
	SETUP_WRITE,  /* `content` into the file */
	SETUP_RECORD, /* `content`, a line, behind what is in the file */
	SETUP_REMOVE, /* the file, and the directory around it if that is empty then */
	SETUP_RUN,    /* a command */
	SETUP_LATER,  /* the same, for whoever starts that system */
	SETUP_SAY,    /* only a line for people */
};

struct setup_step {
	enum setup_kind kind;
	bool optional;     /* when it fails that is said, and the rest is done */
	bool follows;      /* done only if the step before it has succeeded */
	char *text;        /* the path of a file, the line to say; of a command: if it fails */
	char *content;     /* of a file */
	struct list words; /* of a command; of a record: what takes back what it would tell of */
};

struct setup_plan {
	struct setup_step *steps;
	size_t count;
};

/*
 * setup_plan_make - every step, in order. Owned: setup_plan_fini().
 * Errors: ERR_UNSUPPORTED where nothing of this can be done, and why.
 */
int setup_plan_make(const struct setup_facts *facts, bool undo, struct setup_plan *out,
		    struct err *e);
void setup_plan_fini(struct setup_plan *plan);

/* setup_plan_carry_out - `act` on each step in order. Returns 0; -1: *e, and the rest is not done.
 */
typedef int (*setup_act)(const struct setup_step *step, void *context, struct err *e);
int setup_plan_carry_out(const struct setup_plan *plan, setup_act act, void *context,
			 struct err *e);

/* Our file of a layout, for a user; v1's and v2's. Owned by the caller. */
char *setup_plan_path(enum setup_layout layout, uid_t uid);

/* The steps for people, a line each and the contents of files below. */
void setup_plan_print(const struct setup_plan *plan, struct buf *out);

#define auto_setup_plan __attribute__((cleanup(setup_plan_fini)))

#endif
