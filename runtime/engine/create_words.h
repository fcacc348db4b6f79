/*
 * create_words - the body of POST /containers/create as words of `docker create`.
 *
 * The rows of that command decide what is accepted, changes nothing, or is refused, so that a
 * client of the socket can ask for what the command line can, and for nothing else. A member that
 * is not known has no effect, as with Docker.
 *
 * No side effects. Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_CREATE_WORDS_H
#define GLOVEBOX_ENGINE_CREATE_WORDS_H

#include "base/err.h"
#include "base/json.h"
#include "base/list.h"

/*
 * create_words - append them.
 * @name, @platform  of the query; NULL: none.
 * Errors: ERR_INPUT: a member of the wrong type, or one that no flag can say.
 */
int create_words(const struct json *body, const char *name, const char *platform, struct list *out,
		 struct err *e);

/*
 * The same for POST /containers/X/update and `docker update`.
 */
int create_words_of_update(const struct json *body, struct list *out, struct err *e);

#endif
