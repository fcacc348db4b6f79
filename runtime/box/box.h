/*
 * box - a sandbox as clients of another maker's API know it: a session of the server, with what
 * they have told of it.
 *
 * The session is the supervisor's, and its name proves its owner (tenant/handle.h). What only this
 * server knows (metadata, contexts) ends with the server: a box is made anew, without them, when a
 * client names a session that it does not know. Each face has boxes of its own.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_BOX_BOX_H
#define GLOVEBOX_BOX_BOX_H

#include <sys/queue.h>

#include "base/buf.h"
#include "request/server.h"
#include "request/session_work.h"
#include "tenant/handle.h"

#define BOX_CONTEXTS 16 /* beside that which the interpreter has anyway */

struct box;

/* The part that differs between faces. */
struct box_face {
	size_t size;                    /* of what embeds a box as its first member */
	void (*begin)(struct box *b);   /* it is new, all else is zero; NULL */
	void (*release)(struct box *b); /* free what embeds it, but not itself; NULL */
};

/* Names of an interpreter, or where a shell begins. */
struct box_context {
	char id[DIGEST_HEX]; /* "": the slot is free */
	char language[16];
	char slot[12]; /* what the interpreter calls it: a later one replaces it */
	char *cwd;     /* owned */
	bool is_fresh; /* begins anew with its next call */
};

struct box {
	LIST_ENTRY(box) link; /* of server->boxes */
	const struct box_face *face;
	char name[HANDLE_BYTES]; /* of its session */
	char owner[DIGEST_HEX];  /* the id of a key */
	char *template;          /* owned; as it was asked for */
	struct buf metadata;     /* a JSON object of texts */
	bool is_asleep;          /* it stands still by a request of the face */
	uint64_t met_us;         /* monotonic; when it was made */
	uint64_t began_ms;       /* of the epoch; box_began() */
	uint64_t boot_ms;        /* from the request to the reply; 0: it was made anew */
	uint64_t ends_us;        /* monotonic; it has ended by then */
	/* The first is the interpreter's own: its slot is "". */
	struct box_context contexts[1 + BOX_CONTEXTS];
};

/* The box of a session; NULL: it has none. box_meet(): makes it. */
struct box *box_find(const struct server *s, const struct box_face *face, const char *name);
struct box *box_meet(struct server *s, const struct box_face *face, const char *name,
		     const struct key *owner);

/* It ends by then, in ms from now. box_ages(): so old, it lives so long in all; 0: unlimited. */
void box_lives(struct box *b, uint64_t ms);
void box_ages(struct box *b, uint64_t age_ms, uint64_t ttl_ms);

/* When it began, of the epoch: as its age says when it is asked for the first time. */
uint64_t box_began(struct box *b, uint64_t age_ms);

/* Its session has ended. box_forget_named(): safe if it is not known. */
void box_forget(struct box *b);
void box_forget_named(const struct server *s, const struct box_face *face, const char *name);

/* The same of those whose time is over, and of all. */
void box_sweep(struct server *s);
void box_forget_all(struct server *s);

/* A session in the list that work has; NULL: it is not there. */
const struct session_entry *box_session(const struct session_work *w, const char *name);

/* Forget the face's boxes of the work's key that are older than the list, and not in it. */
void box_forget_ended(const struct session_work *w, const struct box_face *face);

/* -- contexts -------------------------------------------------------------------------------- */

/* The context of an id; NULL: none. */
struct box_context *box_context(struct box *b, const char *id);

/* A new one; NULL: it has as many as it may. @language, @cwd  copied. */
struct box_context *box_context_add(struct box *b, const char *language, const char *cwd);
void box_context_drop(struct box_context *c);

/* -- what a new one may be ------------------------------------------------------------------- */

/* Keep what a client asks for. NULL: as it is. */
void box_describe(struct box *b, const char *template, const struct json *metadata);

/* Whether a template is the server's image, or one of the names of the API; they end with NULL. */
bool box_is_template(const struct server *s, const char *text, const char *const *names);

/* Errors: ERR_INPUT: not an object of texts, or a large one. NULL: right. */
int box_check_metadata(const struct json *metadata, struct err *e);

/*
 * Complete the spec of a new one, whose terms have been read: HOME is a file system of its own, in
 * memory. Errors: those of session_spec_finish().
 */
int box_plan(struct session_work *w, const char *home, struct err *e);

/* Each sandbox of the server has so many; box_memory_mib(): 0: unlimited. */
unsigned long box_cpus(const struct server *s);
unsigned long box_memory_mib(const struct server *s);

#endif
