/*
 * terms - the limits of what runs for a request: the server's, and tighter ones that it asks for.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_TERMS_H
#define GLOVEBOX_SERVE_TERMS_H

#include "base/json.h"
#include "serve/http.h"
#include "spec/spec.h"

/*
 * terms_read - decide them.
 * @limits  of its body; NULL: it asks for none. @terms  end with spec_fini(), after an error too.
 * Errors: ERR_INPUT, ERR_LIMIT (422).
 */
int terms_read(const struct request *r, const struct json *limits, struct sandbox_spec *terms,
	       struct err *e);

#endif
