/*
 * http_form - a body of multipart/form-data, part by part, as it comes.
 */
#include "serve/http_form.h"

#include <stdlib.h>

#include "base/own.h"
#include "serve/http_exchange.h"

#define LINE_MAX_BYTES 65536 /* for the headers of a part */

struct http_form {
	struct MHD_PostProcessor *processor;
	void (*take)(void *context, const char *field, const char *filename, const char *bytes,
		     size_t length, uint64_t at);
	void *context;
};

static enum MHD_Result http_form_take(void *context, enum MHD_ValueKind kind, const char *field,
				      const char *filename, const char *type, const char *encoding,
				      const char *bytes, uint64_t at, size_t length)
{
	struct http_form *f = context;

	(void)kind;
	(void)type;
	(void)encoding;
	f->take(f->context, field, filename, bytes, length, at);
	return MHD_YES;
}

struct http_form *http_form_open(struct request *r,
				 void (*take)(void *context, const char *field,
					      const char *filename, const char *bytes,
					      size_t length, uint64_t at),
				 void *context)
{
	struct http_form *f = own_zeroed(1, sizeof(*f));

	f->take = take;
	f->context = context;
	f->processor =
		MHD_create_post_processor(r->state->connection, LINE_MAX_BYTES, http_form_take, f);
	if (f->processor)
		return f;
	free(f);
	return NULL;
}

int http_form_add(struct http_form *f, const char *bytes, size_t length)
{
	return MHD_post_process(f->processor, bytes, length) == MHD_YES ? 0 : -1;
}

int http_form_close(struct http_form *f)
{
	int bad;

	if (!f)
		return 0;
	bad = MHD_destroy_post_processor(f->processor) == MHD_YES ? 0 : -1;
	free(f);
	return bad;
}
