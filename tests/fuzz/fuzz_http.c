/*
 * fuzz_http - what a stranger sends over one connection: a request of any shape. Every request that
 * begins ends, and replies are replies.
 */
#include "talk.h"

#include "base/own.h"
#include "web/multipart.h"

#define BODY_MAX 65536

/* -- the routes ------------------------------------------------------------------------------ */

/* One form at a time. */
static struct {
	struct multipart *form;
	size_t length; /* of its contents */
} taken;

static void take_part(void *context, const char *field, const char *filename, const char *bytes,
		      size_t length)
{
	(void)context;
	(void)field;
	(void)filename;
	(void)bytes;
	taken.length += length;
}

static void form_close(struct request *r)
{
	multipart_close(taken.form);
	taken.form = NULL;
	r->work = NULL;
	r->abandon = NULL;
}

static bool form_take(struct request *r, const char *bytes, size_t length)
{
	const char *type = request_header(r, "Content-Type");
	struct err e;

	if (!r->work) {
		r->work = &taken;
		r->abandon = form_close;
		if (!type || multipart_open(type, take_part, NULL, &taken.form, &e))
			return false;
	}
	if (!taken.form || !multipart_add(taken.form, bytes, length, &e))
		return taken.form;
	multipart_close(taken.form);
	taken.form = NULL;
	return false;
}

static void form_run(struct request *r)
{
	struct err e;
	const bool is_whole = taken.form && !multipart_end(taken.form, &e);

	form_close(r);
	request_refuse(r, is_whole ? 201 : 422, "%zu", taken.length);
}

static void text_run(struct request *r)
{
	struct buf body = {0};

	MUST(r->body.length <= r->route->body_max);
	if (r->segments[0] && strchr(r->segments[0], '/')) /* it was sent as %2f */
		MUST(strchr(r->path, '%'));
	buf_text(&body, "{}");
	request_set_header(r, "X-Length", r->segments[0] ? "1" : "0");
	request_reply(r, 200, "application/json", &body);
}

static const struct route table[] = {
	{"GET",  "/files/*",    text_run, 0,        false, NULL     },
	{"PUT",  "/files/*/**", text_run, 1000,     false, NULL     },
	{"POST", "/run",        text_run, 1000,     false, NULL     },
	{"POST", "/form",       form_run, BODY_MAX, false, form_take},
	{NULL,   NULL,          NULL,     0,        false, NULL     },
};

/* -- the connection -------------------------------------------------------------------------- */

static void open_server(void)
{
	struct err e;

	hub = hub_open(&e);
	MUST(hub);
	talk_open(table, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_buf struct buf text = {0};
	auto_buf struct buf said = {0};

	if (!hub)
		open_server();
	taken.length = 0;
	buf_add(&text, data, size);
	talk(&text, true, &said);
	MUST(!taken.form);
	MUST(taken.length <= size);
	MUST(!said.length || !strncmp(said.data, "HTTP/1.", 7));
	return 0;
}
