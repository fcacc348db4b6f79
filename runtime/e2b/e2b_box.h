/*
 * e2b_box - a box (box/box.h) as E2B's API has it: with variables, access and running programs.
 *
 * Its id is the name of its session in other letters, because it stands in host names.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_E2B_E2B_BOX_H
#define GLOVEBOX_E2B_E2B_BOX_H

#include "base/list.h"
#include "box/box.h"

#define E2B_BOX_ID_SIZE 64 /* "i", 32 hexadecimal digits, the label of the node */
#define E2B_BOX_HOME    "/home/user"
#define E2B_BOX_ENV     512      /* variables of a program or a call */
#define E2B_BOX_DEFAULT "python" /* the id of the context that every box has */

struct running;
struct watcher;

struct e2b_box {
	struct box box; /* first */
	char id[E2B_BOX_ID_SIZE];
	struct list env;       /* KEY=VALUE, of all that runs in it */
	bool is_first_version; /* of the API, by which it was made */
	bool is_open;          /* data requests need no token */
	uint64_t executions;
	uint64_t cpu_us;    /* used until the last time that its metrics were asked for, */
	uint64_t cpu_at_us; /* monotonic; 0: never */
	size_t input_bytes; /* that wait for its programs */
	LIST_HEAD(, running) programs; /* e2b/running.h */
	unsigned program_count;
	LIST_HEAD(, watcher) watchers; /* e2b/watcher.h */
	unsigned watcher_count;
};

extern const struct box_face e2b_face; /* running.c */

/* Fill in a new one; and free what it holds, without its programs. */
void e2b_box_begin(struct box *b);
void e2b_box_release(struct box *b);

/* box_find(), box_meet(). */
struct e2b_box *e2b_box_find(const struct server *s, const char *name);
struct e2b_box *e2b_box_meet(struct server *s, const char *name, const struct key *owner);

/* The id of a session; and back. @id  may have "-CLIENT" behind it. false: no id. */
void e2b_box_id(const char *name, char out[E2B_BOX_ID_SIZE]);
bool e2b_box_name(const char *id, char out[HANDLE_BYTES]);

/* The key whose session has the name; NULL: no key's. */
struct key *e2b_box_owner(const struct server *s, const char *name);

/* The token with which clients reach what runs in it. */
void e2b_box_token(const struct server *s, const char *name, char out[DIGEST_HEX]);

/* A path as clients write it, absolute and without dots: from the home directory. Owned. */
char *e2b_box_path(const char *text);

/*
 * Add variables, an object of texts, to a list. Errors: ERR_INPUT: it is none.
 */
int e2b_box_read_env(struct list *env, const struct json *envs, struct err *e);

/* Put variables, from one on, as an object: of two of a name the last counts. */
void e2b_box_put_env(const struct list *env, size_t from, struct buf *out);

#endif
