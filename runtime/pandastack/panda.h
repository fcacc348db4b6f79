/*
 * panda - a box (box/box.h) as PandaStack's API has it, and work on its session.
 *
 * A hibernated one is asleep: the next request for it wakes it. One that is frozen and not asleep
 * is paused, and refuses.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_PANDASTACK_PANDA_H
#define GLOVEBOX_PANDASTACK_PANDA_H

#include "box/box.h"

#define PANDA_JSON          "application/json"
#define PANDA_HOME          "/workspace"
#define PANDA_NOT_FOUND     "sandbox not found"
#define PANDA_PAUSED        "the sandbox is paused or hibernated: resume or wake it"
#define PANDA_NO_PERSISTENT "persistent: a sandbox ends with its ttl_seconds here"

extern const struct box_face panda_face;

/* box_find(), box_meet(). */
struct box *panda_find(const struct server *s, const char *name);
struct box *panda_meet(const struct session_work *w);

/* Whether the path names a session of the key; false: refused and answered. */
bool panda_is_theirs(struct request *r);

/* Begin work on the sandbox of the path; NULL: it is not the key's, and that was answered. */
struct session_work *panda_work(struct request *r, enum notebook_action action,
				bool (*answer)(struct session_work *w));

/*
 * panda_wakes - wake the sandbox of the path if it is hibernated, and then run the route anew, with
 * the work that the request has. Returns whether that is so: the caller has no part in it any more.
 */
bool panda_wakes(struct request *r);

/* The `refuse` of work on a sandbox. */
void panda_refuse(struct session_work *w, const struct err *e);

/* Read seconds or milliseconds, a number. @unit_ms  of one. Returns -1: refused and answered. */
int panda_read_time(struct request *r, const struct json *body, const char *member, double unit_ms,
		    uint64_t most_ms, uint64_t *ms);

#endif
