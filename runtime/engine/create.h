/*
 * create - the body of POST /containers/create as words of `docker create`.
 *
 * The rows of that command decide what is accepted, changes nothing, or is refused, so that a
 * client of the socket can ask for what the command line can, and for nothing else. A member that
 * is not known has no effect, as with Docker.
 *
 * No side effects. Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_CREATE_H
#define GLOVEBOX_ENGINE_CREATE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/json.h"
#include "base/list.h"

/*
 * create_words - append them.
 * @name, @platform  of the query; NULL: none.
 * @network  the flags of a container that does not ask for no network; borrowed
 * Errors: ERR_INPUT: a member of the wrong type, or one that no flag can say.
 */
int create_words(const struct json *body, const char *name, const char *platform,
		 const struct list *network, struct list *out, struct err *e);

/* The same for POST /containers/X/update and `docker update`. */
int create_words_of_update(const struct json *body, struct list *out, struct err *e);

/* -- for create*.c --------------------------------------------------------------------------- */

/* Words are appended to `out`; `e` gets an error. Both borrowed. */
struct create_words {
	struct list *out;
	struct err *e;
};

struct create_field {
	const char *member;
	/* Append the words of a member that is there. 0, or -1 with *w->e. */
	int (*write)(const struct create_words *w, const struct create_field *f,
		     const struct json *value);
	const char *flag;
	bool updates; /* of `update`, too */
};

/* Those of the body, and those of its HostConfig; they end with a null member. */
extern const struct create_field create_fields[];
extern const struct create_field create_host_fields[];

/* HostConfig.Mounts as words: a --mount for each. */
int create_mounts(const struct create_words *w, const struct create_field *f,
		  const struct json *value);

/* "MEMBER must be TYPE". Returns -1. */
int create_wrong(const struct create_words *w, const struct create_field *f, const char *type);

/* create_each - call for each item of a list; @one: 0, or -1 with *w->e. */
int create_each(const struct create_words *w, const struct create_field *f,
		const struct json *value, const char *type,
		int (*one)(const struct create_words *w, const struct create_field *f,
			   const struct json *item));

/*
 * Whether the source of a mount depends on the directory of this process, which no client knows: it
 * has a slash, or begins like one of a shell, without being absolute.
 */
bool create_is_relative(const char *source);

#endif
