/*
 * http_form - a body of multipart/form-data, part by part, as it comes.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_HTTP_FORM_H
#define GLOVEBOX_SERVE_HTTP_FORM_H

#include <stddef.h>
#include <stdint.h>

#include "serve/http.h"

struct http_form;

/*
 * http_form_open - begin to read the body of a request.
 *
 * @take  gets each piece of a field: its name, the name of a file or NULL, the bytes, and where
 * they begin in the field: 0 begins it. Returns NULL if the body is no form. Owned:
 * http_form_close().
 */
struct http_form *http_form_open(struct request *r,
				 void (*take)(void *context, const char *field,
					      const char *filename, const char *bytes,
					      size_t length, uint64_t at),
				 void *context);

/* http_form_add - the next piece of the body. -1: it is no form. */
int http_form_add(struct http_form *f, const char *bytes, size_t length);

/* http_form_close - -1: it did not come to its end. Safe on NULL. */
int http_form_close(struct http_form *f);

#endif
