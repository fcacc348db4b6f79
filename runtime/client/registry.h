/*
 * registry - a user's processes that go on: a locked file for each run, agent, server, prompt and
 * MCP connection.
 *
 * The files are in a directory that only the user can use (fs/private_dir.h; /run/glovebox for
 * root, whatever XDG_RUNTIME_DIR says). The kernel releases the holder's record lock with it,
 * and tells its number (F_GETLK in fcntl(2)): an entry names its process as long as that lives, and
 * never another one. Listing, and the next start, remove the entries of killed
 * processes.
 *
 * A sandbox that was given the directory (-v) can write entries: readers take them for text, and
 * connect to a supervisor that one names only if it runs as the user, which such a sandbox could
 * feign as well for the user's own, whose socket is beside. Its lock can outlive the process whose
 * number it bears (CLONE_FILES): kill might signal another one.
 *
 * Runs: monitor, faces. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_REGISTRY_H
#define GLOVEBOX_CLIENT_REGISTRY_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define REGISTRY_NAME       256 /* bytes, with its NUL */
#define REGISTRY_SUPERVISOR 256
#define REGISTRY_COMMAND    300 /* of what it does; what is longer is cut */
#define REGISTRY_RUN        "run"

/* A process writes this about itself. */
struct registry_entry {
	const char *kind;       /* REGISTRY_RUN, "agent", "serve", "mcp", "repl", "kernel" */
	const char *id;         /* of a run: 64 hex digits; else "" */
	const char *image;      /* or "" */
	const char *command;    /* what it does, cut; "" */
	const char *memory;     /* the file that counts the bytes of its sandbox; "" */
	const char *supervisor; /* where its own warm supervisor is (wire/runtime_dir.h); "" */
	uint64_t started_us;    /* monotonic */
};

/* Another process, as its entry and the kernel tell. */
struct registered {
	char name[REGISTRY_NAME];
	pid_t pid; /* 0: of another pid namespace */
	struct registry_entry entry;
};

/* A place in the registry. */
struct registration {
	int fd;  /* owned; -1: none */
	int dir; /* owned; the directory it is in */
	char name[REGISTRY_NAME];
};

static inline struct registration registration_none(void)
{
	return (struct registration){.fd = -1, .dir = -1};
}

/*
 * registry_enter - take a place.
 *
 * @name  that nobody else of the user's has at the same time; NULL: twelve digits of the id, or
 *        the kind and the process's number. A process that cannot have such a one is not listed,
 *        and runs all the same.
 * @out   ended by registry_leave(), or with the process.
 * Errors: of a name. ERR_INPUT: it is taken.
 */
int registry_enter(const char *name, const struct registry_entry *entry, struct registration *out,
		   struct err *e);

/* registry_enter_face - the same for an agent, a server and others: they have no name of their own.
 */
struct registration registry_enter_face(const char *kind, const char *image, const char *command);

/* Its own supervisor is there from now on. @where: NULL: it has none. Safe for registration_none().
 */
void registry_name_supervisor(const struct registration *r, const char *where);

/* Write the entry of a place anew. Not for registration_none(). */
void registry_write(const struct registration *r, const struct registry_entry *entry);

/*
 * registry_rename - give a place another name. One that is not listed has none, and stays so.
 * Errors: ERR_INPUT: another place has it. On error it has the old one.
 */
int registry_rename(struct registration *r, const char *name, struct err *e);

/* Safe for registration_none(). */
void registry_leave(struct registration *r);
#define auto_registration __attribute__((cleanup(registry_leave))) struct registration

/*
 * registry_each - tell of each place that is held, the newest first.
 * @tell  what it is given is valid during the call.
 * Errors: ERR_SYSTEM, ERR_INPUT. Where nothing ever ran there is nothing to tell.
 */
int registry_each(void (*tell)(void *context, const struct registered *r), void *context,
		  struct err *e);

/*
 * registry_open - a descriptor of the process (pidfd_open(2)) that holds a place.
 * Returns it, owned by the caller; -1 with ERR_GONE: it has ended.
 */
int registry_open(const struct registered *r, struct err *e);

#endif
