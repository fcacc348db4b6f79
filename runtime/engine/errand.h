/*
 * errand - the words of a row of paths.c, filled in from a request (engine/paths.h).
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_ERRAND_H
#define GLOVEBOX_ENGINE_ERRAND_H

#include "base/list.h"
#include "record/record.h"
#include "web/http.h"

struct errand {
	struct list words;
	struct record found; /* the container; dir -1: the row has none */
};

/*
 * errand_fill - @out: end with errand_fini(), whatever is returned.
 * Returns false: something is not there, or not as it must be, and the request is answered.
 */
bool errand_fill(struct request *r, const char *row, struct errand *out);
void errand_fini(struct errand *o);
#define auto_errand __attribute__((cleanup(errand_fini)))

/* REPOSITORY[:TAG] of the query's `repo` and `tag`; owned; "": there is none. */
char *errand_reference(const struct request *r);

#endif
