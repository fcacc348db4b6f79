/*
 * http_reply - send replies, whole or in pieces, and suspend requests until then.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/own.h"
#include "web/http_arrival.h"
#include "web/http_exchange.h"
#include "web/http_transit.h"

#define PIECE 32768 /* bytes of a long reply that the library gets at once */
#define SHORT 65536 /* bytes of a reply that the library gets as a whole */

/* -- suspended requests ---------------------------------------------------------------------- */

void http_resume(struct exchange_state *x)
{
	hub_unwatch(x->http->hub, &x->watch);
	if (!x->is_suspended)
		return;
	x->is_suspended = false;
	MHD_resume_connection(x->connection);
	/* the library's epoll descriptor does not report this */
	hub_ring(x->http->hub, &x->http->timer, 0);
}

/* The client disconnected: resume the request, so that the library closes the connection. */
static void http_reply_left(void *context, uint32_t events)
{
	struct exchange_state *x = context;

	(void)events;
	x->stage = STAGE_LEFT;
	http_resume(x);
}

void http_suspend(struct exchange_state *x)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct err e;

	MHD_suspend_connection(x->connection);
	x->is_suspended = true;
	x->watch = (struct hub_watch){.ready = http_reply_left, .context = x, .fd = -1};
	if (!info || hub_watch(x->http->hub, &x->watch, info->connect_fd, EPOLLRDHUP, &e))
		http_reply_left(x, 0);
}

/* -- replies --------------------------------------------------------------------------------- */

const char *request_header(const struct request *r, const char *name)
{
	return MHD_lookup_connection_value(r->state->connection, MHD_HEADER_KIND, name);
}

uint64_t request_length(const struct request *r)
{
	const char *length = request_header(r, "Content-Length");

	return length ? strtoull(length, NULL, 10) : 0;
}

struct header_count {
	const char *name;
	unsigned count;
};

static enum MHD_Result http_reply_count(void *context, enum MHD_ValueKind kind, const char *name,
					const char *value)
{
	struct header_count *c = context;

	(void)kind;
	(void)value;
	c->count += !strcasecmp(name, c->name);
	return MHD_YES;
}

unsigned request_header_count(const struct request *r, const char *name)
{
	struct header_count c = {.name = name};

	MHD_get_connection_values(r->state->connection, MHD_HEADER_KIND, http_reply_count, &c);
	return c.count;
}

unsigned request_status(const struct request *r)
{
	return r->state->status;
}

uint64_t request_sent(const struct request *r)
{
	return r->state->given;
}

bool request_is_complete(const struct request *r)
{
	return r->state->is_complete;
}

void request_set_header(struct request *r, const char *name, const char *value)
{
	struct exchange_state *x = r->state;

	if (x->header_count == sizeof(x->headers) / sizeof(x->headers[0]))
		return;
	x->headers[x->header_count].name = name;
	x->headers[x->header_count++].value = own_strdup(value);
}

static void http_reply_ready(struct exchange_state *x, unsigned status, const char *type)
{
	x->status = status;
	x->type = type;
	if (x->stage == STAGE_LEFT)
		return;
	x->stage = STAGE_READY;
	http_resume(x);
}

void request_reply(struct request *r, unsigned status, const char *type, struct buf *body)
{
	struct exchange_state *x = r->state;

	buf_fini(&x->body);
	if (body) {
		x->body = *body;
		*body = (struct buf){0};
	}
	r->work = NULL;
	r->abandon = NULL;
	http_reply_ready(x, status, type);
}

void request_reply_file(struct request *r, const char *type, int fd, uint64_t size)
{
	r->state->file = fd;
	r->state->file_size = size;
	request_reply(r, MHD_HTTP_OK, type, NULL);
}

void request_refuse(struct request *r, unsigned status, const char *format, ...)
{
	const struct site *site = r->state->http->options.site;
	auto_buf struct buf text = {0};
	auto_buf struct buf body = {0};
	va_list arguments;

	va_start(arguments, format);
	buf_vprintf(&text, format, arguments);
	va_end(arguments);
	site->explain(buf_string(&text), text.length, &body);
	request_reply(r, status, site->refusal_type, &body);
}

void request_stream(struct request *r, unsigned status, const char *type)
{
	struct exchange_state *x = r->state;

	x->is_stream = true;
	http_reply_ready(x, status, type);
}

void request_send(struct request *r, const void *bytes, size_t length)
{
	struct exchange_state *x = r->state;

	if (!http_transit_take_stream(x, x->body.length + length)) {
		x->stage = STAGE_LEFT; /* the client does not read its stream */
		http_arrival_cut(x->http, x->connection);
		http_resume(x);
		return;
	}
	buf_add(&x->body, bytes, length);
	if (x->is_suspended && x->stage == STAGE_READY)
		http_arrival_begin_reply(x->http, x->connection, x->request.payer);
	http_resume(x);
}

void request_end(struct request *r)
{
	struct exchange_state *x = r->state;

	r->work = NULL;
	r->abandon = NULL;
	if (x->stage != STAGE_LEFT)
		x->stage = STAGE_ENDED;
	http_resume(x);
}

/* -- sending --------------------------------------------------------------------------------- */

/* The library asks for more, so the client has read what came before: note progress. */
static ssize_t http_reply_gave(struct exchange_state *x, size_t length)
{
	http_arrival_move(x->connection, length);
	x->given += length;
	return (ssize_t)length;
}

static uint64_t http_reply_length(const struct exchange_state *x)
{
	return x->file >= 0 ? x->file_size : x->body.length;
}

static ssize_t http_reply_read_long(void *context, uint64_t position, char *out, size_t size)
{
	struct exchange_state *x = context;
	ssize_t n = -1;

	if (x->stage == STAGE_LEFT)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	/* A file may be longer than what is sent of it (store/file_store.h). */
	if (size > http_reply_length(x) - position)
		size = http_reply_length(x) - position;
	if (x->file >= 0)
		n = pread(x->file, out, size, (off_t)position);
	if (x->file >= 0 && n <= 0)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (x->file >= 0)
		return http_reply_gave(x, (size_t)n);
	memcpy(out, x->body.data + position, size);
	return http_reply_gave(x, size);
}

static ssize_t http_reply_read_stream(void *context, uint64_t position, char *out, size_t size)
{
	struct exchange_state *x = context;
	size_t length = x->body.length - x->sent;

	(void)position;
	if (x->stage == STAGE_LEFT)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (!length && x->stage == STAGE_ENDED)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (!length) {
		http_arrival_end(x->http, x->connection);
		http_suspend(x);
		return 0;
	}
	length = length < size ? length : size;
	memcpy(out, x->body.data + x->sent, length);
	x->sent += length;
	if (x->sent == x->body.length) {
		buf_cut(&x->body, 0);
		http_transit_give_stream(x);
		x->sent = 0;
	}
	return http_reply_gave(x, length);
}

static struct MHD_Response *http_reply_make(struct exchange_state *x)
{
	const uint64_t length = http_reply_length(x);
	struct MHD_Response *response;

	if (x->is_stream)
		return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE,
							 http_reply_read_stream, x, NULL);
	if (length > SHORT || x->file >= 0)
		return MHD_create_response_from_callback(length, PIECE, http_reply_read_long, x,
							 NULL);
	http_arrival_move(x->connection, length);
	x->given = strcmp(x->request.method, "HEAD") != 0 ? length : 0;
	response = MHD_create_response_from_buffer(x->body.length, x->body.data,
						   MHD_RESPMEM_MUST_FREE);
	if (response)
		x->body = (struct buf){0};
	return response;
}

enum MHD_Result http_send(struct exchange_state *x)
{
	struct MHD_Response *response;
	enum MHD_Result done;

	http_transit_take_reply(x);
	if (x->http->is_quiet || (!x->request.payer && http_arrival_has_unread(x->connection)))
		request_set_header(&x->request, "Connection", "close");
	http_arrival_begin_reply(x->http, x->connection, x->request.payer);
	response = http_reply_make(x);
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	if (x->type)
		MHD_add_response_header(response, "Content-Type", x->type);
	for (unsigned i = 0; i < x->header_count; i++)
		MHD_add_response_header(response, x->headers[i].name, x->headers[i].value);
	done = MHD_queue_response(x->connection, x->status, response);
	MHD_destroy_response(response);
	x->is_queued = true;
	return done;
}
