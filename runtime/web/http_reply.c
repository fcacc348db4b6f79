/*
 * http_reply - what a route says of a request, and how it is sent.
 */
#include "web/http_reply.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "web/http_arrival.h"
#include "web/http_transit.h"

#define PIECE 32768 /* bytes of a reply that are sent at once */

/* -- what a route asks ----------------------------------------------------------------------- */

const char *request_header(const struct request *r, const char *name)
{
	return head_field(&r->state->head, name);
}

const char *request_query(const struct request *r)
{
	return r->state->head.query ? r->state->head.query : "";
}

enum origin_listen request_listen(const struct request *r)
{
	return r->state->connection->listener->kind;
}

uint64_t request_length(const struct request *r)
{
	return r->state->head.length;
}

unsigned request_header_count(const struct request *r, const char *name)
{
	return head_field_count(&r->state->head, name);
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

/* -- what it says ---------------------------------------------------------------------------- */

void request_set_header(struct request *r, const char *name, const char *value)
{
	struct exchange_state *x = r->state;

	if (x->header_count == sizeof(x->headers) / sizeof(x->headers[0]))
		return;
	x->headers[x->header_count].name = name;
	x->headers[x->header_count++].value = own_strdup(value);
}

void request_close(struct request *r)
{
	r->state->is_last = true;
}

static void http_reply_ready(struct exchange_state *x, unsigned status, const char *type)
{
	x->status = status;
	x->type = type;
	if (x->stage == STAGE_LEFT)
		return;
	x->stage = STAGE_READY;
	http_wake(x->connection);
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
	request_reply(r, 200, type, NULL);
}

void request_refuse(struct request *r, unsigned status, const char *format, ...)
{
	const struct site *site = r->state->site;
	auto_buf struct buf text = {0};
	auto_buf struct buf body = {0};
	va_list arguments;

	va_start(arguments, format);
	buf_vprintf(&text, format, arguments);
	va_end(arguments);
	site->explain(status, buf_string(&text), text.length, &body);
	request_reply(r, status, site->refusal_type, &body);
}

void request_stream(struct request *r, unsigned status, const char *type)
{
	r->state->is_stream = true;
	http_reply_ready(r->state, status, type);
}

bool request_asks_upgrade(const struct request *r, const char *protocol)
{
	const char *connection = request_header(r, "Connection");
	const char *upgrade = request_header(r, "Upgrade");

	return connection && upgrade && !r->state->head.is_http10 &&
	       head_list_has(connection, "upgrade") && head_list_has(upgrade, protocol);
}

void request_upgrade(struct request *r, const char *protocol, const char *type,
		     const struct duplex *duplex)
{
	struct exchange_state *x = r->state;

	x->is_stream = x->is_last = true;
	x->duplex = duplex;
	x->protocol = protocol;
	http_reply_ready(x, protocol ? 101 : 200, type);
}

void request_resume(struct request *r)
{
	r->state->is_paused = false;
	http_wake(r->state->connection);
}

size_t request_unsent(const struct request *r)
{
	const struct exchange_state *x = r->state;

	return x->body.length - x->sent + x->connection->out.length - x->connection->sent;
}

bool request_is_read(const struct request *r)
{
	const struct exchange_state *x = r->state;

	return x->connection->state == HTTP_TUNNELS && !request_unsent(r) &&
	       !http_arrival_unread(x->connection);
}

void request_send(struct request *r, const void *bytes, size_t length)
{
	struct exchange_state *x = r->state;

	if (http_transit_take_stream(x, x->body.length + length))
		buf_add(&x->body, bytes, length);
	else
		x->stage = STAGE_LEFT; /* the client does not read its stream */
	x->is_undrained = true;
	http_wake(x->connection);
}

void request_end(struct request *r)
{
	struct exchange_state *x = r->state;

	r->work = NULL;
	r->abandon = NULL;
	if (x->stage != STAGE_LEFT)
		x->stage = STAGE_ENDED;
	http_wake(x->connection);
}

void request_cut(struct request *r)
{
	r->work = NULL;
	r->abandon = NULL;
	r->state->stage = STAGE_LEFT;
	http_wake(r->state->connection);
}

/* -- the head -------------------------------------------------------------------------------- */

static const char *http_reply_reason(unsigned status)
{
	static const struct {
		unsigned status;
		const char *reason;
	} reasons[] = {
		{101, "Switching Protocols"            },
		{200, "OK"			     },
		{201, "Created"                        },
		{202, "Accepted"                       },
		{204, "No Content"                     },
		{304, "Not Modified"                   },
		{400, "Bad Request"                    },
		{401, "Unauthorized"                   },
		{403, "Forbidden"                      },
		{404, "Not Found"                      },
		{405, "Method Not Allowed"             },
		{406, "Not Acceptable"                 },
		{409, "Conflict"                       },
		{410, "Gone"                           },
		{413, "Content Too Large"              },
		{415, "Unsupported Media Type"         },
		{422, "Unprocessable Content"          },
		{429, "Too Many Requests"              },
		{431, "Request Header Fields Too Large"},
		{500, "Internal Server Error"          },
		{503, "Service Unavailable"            },
		{505, "HTTP Version Not Supported"     },
		{507, "Insufficient Storage"           },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].status == status)
			return reasons[i].reason;
	}
	return ""; /* RFC 9112, 4: clients ignore it */
}

/* RFC 9110, 5.6.7: never in the language of a locale. */
static void http_reply_date(struct buf *out)
{
	static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
	static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
					 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	time_t now = time(NULL);
	struct tm t;

	gmtime_r(&now, &t);
	buf_printf(out, "Date: %s, %02d %s %d %02d:%02d:%02d GMT\r\n", days[t.tm_wday], t.tm_mday,
		   months[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}

static bool http_reply_has_no_body(const struct exchange_state *x)
{
	return x->status == 204 || x->status == 304;
}

static uint64_t http_reply_length(const struct exchange_state *x)
{
	return x->file >= 0 ? x->file_size : x->body.length;
}

/* A stream ends with a chunk of its own; of HTTP/1.0 or an upgrade, with the connection. */
static bool http_reply_is_chunked(const struct exchange_state *x)
{
	return x->is_stream && (!x->duplex || x->duplex->chunks) && !x->head.is_http10;
}

void http_reply_head(struct exchange_state *x, struct buf *out)
{
	http_transit_take_reply(x);
	buf_printf(out, "HTTP/1.1 %u %s\r\n", x->status, http_reply_reason(x->status));
	http_reply_date(out);
	if (x->protocol)
		buf_printf(out, "Connection: Upgrade\r\nUpgrade: %s\r\n", x->protocol);
	else if (x->is_last)
		buf_text(out, "Connection: close\r\n");
	if (http_reply_is_chunked(x))
		buf_text(out, "Transfer-Encoding: chunked\r\n");
	else if (!x->is_stream && !http_reply_has_no_body(x))
		buf_printf(out, "Content-Length: %llu\r\n",
			   (unsigned long long)http_reply_length(x));
	buf_text(out, "X-Content-Type-Options: nosniff\r\n");
	if (x->type)
		buf_printf(out, "Content-Type: %s\r\n", x->type);
	for (unsigned i = 0; i < x->header_count; i++)
		buf_printf(out, "%s: %s\r\n", x->headers[i].name, x->headers[i].value);
	buf_text(out, "\r\n");
	if (!strcmp(x->request.method, "HEAD") || http_reply_has_no_body(x))
		x->is_over = true;
}

/* -- the body -------------------------------------------------------------------------------- */

/* How much of it has left is seen later (http_arrival.c). */
static void http_reply_gave(struct exchange_state *x, size_t length)
{
	http_arrival_move(x->connection, length);
	x->given += length;
}

/* Use the file from its beginning; it may be longer than what is sent of it (store/file_store.h).
 */
static enum reply_piece http_reply_read_file(struct exchange_state *x, struct buf *out)
{
	char bytes[PIECE];
	const uint64_t left = x->file_size - x->given;
	ssize_t n = pread(x->file, bytes, left < sizeof(bytes) ? (size_t)left : sizeof(bytes),
			  (off_t)x->given);

	if (n <= 0)
		return REPLY_BROKEN;
	buf_add(out, bytes, (size_t)n);
	http_reply_gave(x, (size_t)n);
	return REPLY_GOES_ON;
}

static void http_reply_copy(struct exchange_state *x, struct buf *out)
{
	size_t length = x->body.length - x->sent;

	length = length < PIECE ? length : PIECE;
	if (http_reply_is_chunked(x))
		buf_printf(out, "%zx\r\n", length);
	buf_add(out, x->body.data + x->sent, length);
	if (http_reply_is_chunked(x))
		buf_text(out, "\r\n");
	x->sent += length;
	http_reply_gave(x, length);
}

static enum reply_piece http_reply_stream(struct exchange_state *x, struct buf *out)
{
	bool has_more = x->sent < x->body.length;

	if (has_more)
		http_reply_copy(x, out);
	if (x->sent < x->body.length)
		return REPLY_GOES_ON;
	if (has_more) {
		buf_cut(&x->body, 0);
		http_transit_give_stream(x);
		x->sent = 0;
	}
	if (x->stage == STAGE_ENDED && http_reply_is_chunked(x))
		buf_text(out, "0\r\n\r\n");
	x->is_over = x->stage == STAGE_ENDED;
	return has_more || x->is_over ? REPLY_GOES_ON : REPLY_WAITS;
}

enum reply_piece http_reply_piece(struct exchange_state *x, struct buf *out)
{
	if (x->is_over)
		return REPLY_OVER;
	if (x->is_stream)
		return http_reply_stream(x, out);
	if (x->given == http_reply_length(x))
		return REPLY_OVER;
	if (x->file >= 0)
		return http_reply_read_file(x, out);
	http_reply_copy(x, out);
	return REPLY_GOES_ON;
}
