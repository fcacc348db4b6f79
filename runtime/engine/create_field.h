/*
 * create_field - a member of a body, and the flag of `docker create` that it is.
 *
 * No side effects. Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_CREATE_FIELD_H
#define GLOVEBOX_ENGINE_CREATE_FIELD_H

#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/list.h"

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

/*
 * Whether the source of a mount depends on the directory of this process, which no client knows: it
 * has a slash, or begins like one of a shell, without being absolute.
 */
static inline bool create_field_is_relative(const char *source)
{
	const size_t length = strcspn(source, ":");

	return *source == '.' || *source == '~' ||
	       (*source != '/' && memchr(source, '/', length) != NULL);
}

#define CREATE_SOURCE "a list whose sources are absolute paths or names of volumes"

/* "MEMBER must be TYPE". Returns -1. */
static inline int create_field_wrong(const struct create_words *w, const struct create_field *f,
				     const char *type)
{
	return err_input(w->e, "%s must be %s", f->member, type);
}

#endif
