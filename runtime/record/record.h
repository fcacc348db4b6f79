/*
 * record - what is known of a sandbox that stays, while it runs and after its end: a directory of
 * files, STATE/sandboxes/ID.
 *
 *   record    what it is; written once, before anything starts; locked by its monitor as long as
 *             that lives (flock(2))
 *   state     how it is; replaced as a whole at each change
 *   update    what `update` has changed: flags that come after those of the record, and the limits
 *             that follow from both; replaced as a whole
 *   again     locked by a client that restarts it (record_hold)
 *   socket    its monitor listens here (monitor/visit.h)
 *   log, log.old   what its program printed (record/log.h)
 *   name      a link whose text is its name, if it was renamed (record/record_names.h)
 *   programs/N     the same of further programs whose output is kept (monitor/programs.h)
 *   layer     what it had changed in its root when it ended, or hibernated (monitor/layer.h)
 *
 * and a link in STATE/names from its name to its id. STATE is the user's (fs/state_dir.h).
 *
 * A sandbox whose state says that it runs and whose record nobody locks was lost: its monitor was
 * killed, and took the sandbox along, or the machine was restarted.
 *
 * Runs: monitor, its clients. Needs: nothing.
 */
#ifndef GLOVEBOX_RECORD_RECORD_H
#define GLOVEBOX_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/json.h"
#include "base/list.h"

#define RECORD_ID        65         /* bytes, with the NUL */
#define RECORD_NAME      256        /* the same */
#define RECORD_BYTES     (1u << 20) /* of RECORD_WHAT, at most */
#define RECORD_SOCKET    "socket"
#define RECORD_WHAT      "record"
#define RECORD_HOW       "state"
#define RECORD_UPDATE    "update"
#define RECORD_AGAIN     "again"
#define RECORD_PROGRAMS  "programs"
#define RECORD_LAYER     "layer"
#define RECORD_NEW_LAYER RECORD_LAYER ".new" /* while it is being written */
#define RECORD_FOLDER    "sandboxes"
#define RECORD_NAMES     "names"
#define RECORD_OWN_NAME  "name"

enum record_state {
	RECORD_CREATED,
	RECORD_STARTING,
	RECORD_RUNNING,
	RECORD_PAUSED,
	RECORD_HIBERNATED, /* paused, with its root on the disk (monitor/hibernating.h) */
	RECORD_EXITED,
	RECORD_LOST,
};

/* A record that is read. */
struct record {
	int dir; /* owned */
	char id[RECORD_ID];
	char name[RECORD_NAME];
	struct json *what; /* owned: id, the name it was made with, image, command, created_ms,
			      remove, tty, mounts, published, and what record_keep.c adds for
			      `inspect` */
	struct json *how;  /* owned: state, pid, started_ms, ports, ended_ms, result; NULL: none */
	enum record_state state;
	bool is_session; /* which has no record: only its name is known (session_find.h), and */
	char supervisor[256];      /* whose it is; "": the user's */
	struct reopened *reopened; /* borrowed: it has ended, and its root is open (reopen.h) */
};

/*
 * record_find - the record that a word names: a name, an id or the beginning of one.
 * Errors: ERR_NOT_FOUND; ERR_INPUT: it begins several.
 */
int record_find(const char *word, struct record *out, struct err *e);

/* The same by the beginning of an id alone: no name of another is in its way. */
int record_find_id(const char *word, struct record *out, struct err *e);
void record_fini(struct record *r);
#define auto_record __attribute__((cleanup(record_fini)))

/* record_each - call for every record, the newest first; @r is valid during the call. */
int record_each(void (*tell)(void *context, const struct record *r), void *context, struct err *e);

/* The same without those whose ids are in a list; NULL: all. They are not read. */
int record_each_but(const struct list *ids, void (*tell)(void *context, const struct record *r),
		    void *context, struct err *e);

/* record_read_id - the same for a whole id. Returns false if there is none, or it is being made. */
bool record_read_id(const char *id, struct record *out);

bool record_is_id(const char *word);

/* The record that has the name. Returns false if none has; @out: end with record_fini(). */
bool record_named(const char *name, struct record *out);

/* Its `what`, from the directory of a record: owned, or NULL. */
struct json *record_read_what(int dir);

/* Read r->name again, from r->dir and r->what. */
void record_read_name(struct record *r);

static inline const char *record_name(const struct record *r)
{
	return r->name;
}

/* Its image as it was said; a record of an earlier version has only the whole name. */
const char *record_image(const struct record *r);

/*
 * record_check_words - refuse words that are not UTF-8: a record and a request are JSON, which has
 * no other bytes.
 */
int record_check_words(char *const *words, size_t count, struct err *e);

/* "created", "starting", "running", "paused", "hibernated", "exited", "lost". */
const char *record_state_name(enum record_state state);

/* Whether it mounts the volume of that name. */
bool record_has_volume(const struct record *r, const char *name);

/* Whether its processes stand still. */
bool record_stands_still(const struct record *r);

/* Whether there is a sandbox: it is starting, running, paused or hibernated. */
bool record_runs(const struct record *r);

/* How it ended: its exit code; -1: it runs, or was lost. */
int record_exit_code(const struct record *r);

/* The content of RECORD_UPDATE, owned: words, limits; NULL: it was never updated. */
struct json *record_update(const struct record *r);

/*
 * record_lock_update - keep others from updating it, and from starting it anew, as long as the
 * record is open. Waits 10 s for them.
 */
int record_lock_update(const struct record *r, struct err *e);

/*
 * record_hold - have a record stay that goes with the end of its sandbox, because that is started
 * anew: as long as the descriptor is open.
 * Returns an owned descriptor, or -1.
 */
int record_hold(const struct record *r, struct err *e);

/* Whether a client holds it. @dir: of the record; borrowed. */
bool record_is_held(int dir);

/* Wait until its monitor has ended, and read the state again. @until_us: monotonic. */
int record_await_end(struct record *r, uint64_t until_us, struct err *e);

#endif
