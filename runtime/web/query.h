/*
 * query - the parameters behind the question mark of a path: NAME=VALUE&...
 *
 * Names and values may have percent signs; a plus sign is a blank. Of a name that is there twice
 * the last one counts.
 *
 * No side effects. Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_QUERY_H
#define GLOVEBOX_WEB_QUERY_H

#include <stdbool.h>

#include "base/list.h"

/* A value, owned; NULL: there is none, or it cannot be decoded. */
char *query_text(const char *query, const char *name);

/* Append every value of a name. */
void query_list(const char *query, const char *name, struct list *out);

/* Whether it is 1 or true, in any case; @otherwise: there is none. */
bool query_is_true(const char *query, const char *name, bool otherwise);

#endif
