/*
 * terms - the limits of one request's run: the server's, tightened by the request's.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_TERMS_H
#define GLOVEBOX_REQUEST_TERMS_H

#include "base/json.h"
#include "spec/spec.h"
#include "web/http.h"

/*
 * terms_read - compute the limits of a run.
 * @limits  from the body; NULL: none. @terms  end with spec_fini(), after an error, too.
 * Errors: ERR_INPUT, ERR_LIMIT (422).
 */
int terms_read(const struct request *r, const struct json *limits, struct sandbox_spec *terms,
	       struct err *e);

/*
 * terms_reach - give a run the network that the body asks for.
 *
 * @egress  of the body: true is all that the key's ceiling names, a list has hosts within it; NULL
 *          or false: none. @terms  of terms_read().
 * Errors: ERR_INPUT, ERR_LIMIT (422).
 */
int terms_reach(const struct request *r, const struct json *egress, struct sandbox_spec *terms,
		struct err *e);

/* terms_reach_text - the same for a text: "true", or hosts with commas between them; NULL: none. */
int terms_reach_text(const struct request *r, const char *egress, struct sandbox_spec *terms,
		     struct err *e);

/* terms_reach_all - the same with true, where a ceiling may name no host. */
int terms_reach_all(const struct request *r, struct sandbox_spec *terms, struct err *e);

#endif
