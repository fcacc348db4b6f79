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

#endif
