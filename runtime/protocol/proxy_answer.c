/*
 * proxy_answer - read a proxy's answer to CONNECT: an HTTP/1.x head, then the server's bytes.
 */
#include "protocol/proxy_answer.h"

#define OPENED 200

static void proxy_answer_refuse(struct proxy_answer *r, const char *why)
{
	r->state = PROXY_REFUSED;
	r->why = why;
	if (why)
		r->status.status = -1;
}

static void proxy_answer_status(struct proxy_answer *r, uint8_t byte)
{
	const int status = answer_feed(&r->status, &byte, 1);

	if (status && status != OPENED)
		proxy_answer_refuse(r, r->status.why);
}

/* Take a byte after the status line of a 200. */
static void proxy_answer_field(struct proxy_answer *r, uint8_t byte)
{
	if ((byte == '\n') != r->has_cr) {
		proxy_answer_refuse(r, "an answer whose lines do not end with CRLF");
		return;
	}
	r->has_cr = byte == '\r';
	if (byte == '\n') {
		r->state = r->line ? PROXY_MORE : PROXY_OPEN;
		r->line = 0;
	} else if (byte != '\r') {
		r->line++;
	}
}

static void proxy_answer_byte(struct proxy_answer *r, uint8_t byte)
{
	if (++r->taken > PROXY_ANSWER_MAX)
		proxy_answer_refuse(r, "an answer without an end");
	else if (r->status.status == OPENED)
		proxy_answer_field(r, byte);
	else
		proxy_answer_status(r, byte);
}

enum proxy_answer_state proxy_answer_feed(struct proxy_answer *reader, const uint8_t *bytes,
					  size_t size, size_t *used)
{
	size_t at = 0;

	while (at < size && reader->state == PROXY_MORE)
		proxy_answer_byte(reader, bytes[at++]);
	*used = at;
	return reader->state;
}
