/*
 * box - a sandbox as clients of E2B's API know it: a session of the server, with what they have
 * told of it and what they run in it.
 *
 * The session is the supervisor's, and its name proves its owner (tenant/handle.h). Its id here is
 * the same in other letters, because it stands in host names. What only this server knows (the
 * metadata, programs and their streams) ends with the server: a box is made anew, without them,
 * when a client names a session that it does not know.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_E2B_BOX_H
#define GLOVEBOX_E2B_BOX_H

#include <sys/queue.h>

#include "base/buf.h"
#include "base/list.h"
#include "request/server.h"
#include "tenant/handle.h"
#include "web/http.h"

#define BOX_ID_SIZE  64 /* "i", 32 hexadecimal digits, the label of the node */
#define BOX_HOME     "/home/user"
#define BOX_CONTEXTS 16
#define BOX_ENV      512      /* variables of a program or a call */
#define BOX_DEFAULT  "python" /* the id of the context that every box has */

struct running;

/* Names of an interpreter, or where a shell begins. */
struct box_context {
	char id[DIGEST_HEX]; /* "": the slot is free */
	char language[16];
	char slot[12]; /* what the interpreter calls it: a later context of the slot replaces it */
	char *cwd;     /* owned */
	bool is_fresh; /* begins anew with its next call */
};

struct box {
	LIST_ENTRY(box) link;    /* of server->boxes */
	char name[HANDLE_BYTES]; /* of its session */
	char id[BOX_ID_SIZE];
	char owner[DIGEST_HEX]; /* the id of a key */
	char *template;         /* owned; as it was asked for */
	struct buf metadata;    /* a JSON object of texts */
	struct list env;        /* KEY=VALUE, of all that runs in it */
	bool is_first_version;  /* of the API, by which it was made */
	bool is_open;           /* data requests need no token */
	bool is_paused;
	uint64_t met_us;  /* monotonic; when it was made */
	uint64_t ends_us; /* monotonic; it has ended by then */
	uint64_t executions;
	size_t input_bytes;                        /* that wait for its programs */
	struct box_context contexts[BOX_CONTEXTS]; /* the first is every box's */
	LIST_HEAD(, running) programs;             /* e2b/running.h */
	unsigned program_count;
};

/* The id of a session; and back. @id  may have "-CLIENT" behind it. false: no id. */
void box_id(const char *name, char out[BOX_ID_SIZE]);
bool box_name(const char *id, char out[HANDLE_BYTES]);

/* It ends by then, in ms from now; UINT64_MAX: never by itself. */
void box_lives(struct box *b, uint64_t ms);

/* The key whose session has the name; NULL: no key's. */
struct key *box_owner(const struct server *s, const char *name);

/* The box of a session; NULL: it has none. box_meet(): makes it. */
struct box *box_find(const struct server *s, const char *name);
struct box *box_meet(struct server *s, const char *name, const struct key *owner);

/* It has ended, and has no programs any more (e2b/running.h). */
void box_free(struct box *b);

/* The token with which clients reach what runs in it. */
void box_token(const struct server *s, const char *name, char out[DIGEST_HEX]);

/* A path as clients write it, absolute and without dots: from the home directory. Owned. */
char *box_path(const char *text);

/*
 * Add variables, an object of texts, to a list. Errors: ERR_INPUT: it is none.
 */
int box_read_env(struct list *env, const struct json *envs, struct err *e);

/* Put variables, from one on, as an object: of two of a name the last counts. */
void box_put_env(const struct list *env, size_t from, struct buf *out);

/* The context of an id; NULL: none. */
struct box_context *box_context(struct box *b, const char *id);

/* A new one; NULL: it has as many as it may. @cwd, @language  copied. */
struct box_context *box_context_add(struct box *b, const char *language, const char *cwd);
void box_context_drop(struct box_context *c);

#endif
