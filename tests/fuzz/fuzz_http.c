/*
 * fuzz_http - what a stranger sends over one connection: a request of any shape, or the body of a
 * form. Every request that begins ends, replies are replies, and the parts of a form are the same
 * however the body was cut into pieces.
 */
#include "talk.h"

#include "base/own.h"
#include "serve/http_form.h"

#define FORM     "--part" /* an input that begins so is a body */
#define BODY_MAX 65536
#define PIECE    20000 /* of a body that is sent as a whole; the library's buffer holds it */

/* -- the routes ------------------------------------------------------------------------------ */

/* One form at a time. */
static struct {
	struct http_form *form;
	struct buf parts; /* what it was taken for */
	uint64_t next;    /* where the field goes on */
	size_t length;
} taken;

static void take_part(void *context, const char *field, const char *filename, const char *bytes,
		      size_t length, uint64_t at)
{
	(void)context;
	MUST(at == 0 || at == taken.next);
	if (at == 0 &&
	    length) /* the library may say the beginning more than once, without a byte */
		buf_printf(&taken.parts, "\n[%s|%s]", field ? field : "", filename ? filename : "");
	buf_add(&taken.parts, bytes, length);
	taken.next = at + length;
	taken.length += length;
}

static void form_abandon(struct request *r)
{
	(void)http_form_close(taken.form);
	taken.form = NULL;
	r->work = NULL;
	r->abandon = NULL;
}

static bool form_take(struct request *r, const char *bytes, size_t length)
{
	if (!r->work) {
		taken.form = http_form_open(r, take_part, NULL);
		r->work = &taken;
		r->abandon = form_abandon;
	}
	if (length && taken.form && http_form_add(taken.form, bytes, length)) {
		(void)http_form_close(taken.form);
		taken.form = NULL;
		buf_text(&taken.parts, "\nno form");
	}
	return taken.form;
}

static void form_run(struct request *r)
{
	bool is_whole = taken.form && !http_form_close(taken.form);

	buf_text(&taken.parts, is_whole ? "\nwhole" : "\nnot whole");
	taken.form = NULL;
	r->work = NULL;
	r->abandon = NULL;
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

static void exchange(const struct buf *text, struct buf *said)
{
	talk(text, true, said);
	MUST(!taken.form);
}

/* -- inputs ---------------------------------------------------------------------------------- */

static void reset(void)
{
	buf_fini(&taken.parts);
	taken.next = taken.length = 0;
}

static void send_form(const uint8_t *data, size_t size, size_t piece, struct buf *parts)
{
	auto_buf struct buf text = {0};
	auto_buf struct buf said = {0};

	reset();
	buf_text(&text,
		 "POST /form HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
		 "Content-Type: multipart/form-data; boundary=part\r\n"
		 "Transfer-Encoding: chunked\r\n\r\n");
	for (size_t at = 0; at < size; at += piece) {
		size_t length = size - at < piece ? size - at : piece;

		buf_printf(&text, "%zx\r\n", length);
		buf_add(&text, data + at, length);
		buf_text(&text, "\r\n");
	}
	buf_text(&text, "0\r\n\r\n");
	exchange(&text, &said);
	MUST(!strncmp(buf_string(&said), "HTTP/1.1 201", 12) ||
	     !strncmp(buf_string(&said), "HTTP/1.1 422", 12));
	MUST(taken.length <= size);
	*parts = taken.parts;
	taken.parts = (struct buf){0};
}

static void check_form(const uint8_t *data, size_t size)
{
	const size_t piece = 1 + data[size / 2] % 64;
	auto_buf struct buf whole = {0};
	auto_buf struct buf cut = {0};

	if (size > PIECE)
		return;
	send_form(data, size, PIECE, &whole);
	send_form(data, size, piece, &cut);
	MUST(whole.length == cut.length && !memcmp(whole.data, cut.data, whole.length));
}

static void check_request(const uint8_t *data, size_t size)
{
	auto_buf struct buf text = {0};
	auto_buf struct buf said = {0};

	reset();
	buf_add(&text, data, size);
	exchange(&text, &said);
	MUST(!said.length || !strncmp(said.data, "HTTP/1.", 7));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!hub)
		open_server();
	if (size > strlen(FORM) && !memcmp(data, FORM, strlen(FORM)))
		check_form(data, size);
	else
		check_request(data, size);
	reset();
	return 0;
}
