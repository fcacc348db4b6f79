/*
 * http_request - follow a client's HTTP/1.x requests, and admit only those for one host.
 */
#include "protocol/http_request.h"

#include <string.h>

#include "base/hex.h"

#define CHUNK_DIGITS 15 /* of a chunk's size: cannot overflow */
#define FINAL_STATUS 200
#define SWITCHED     101

void http_follower_init(struct http_follower *follower, const char *name, uint16_t port)
{
	*follower = (struct http_follower){.place = HTTP_HEAD};
	http_host_set(&follower->host, name, port);
}

static void http_request_refuse(struct http_follower *f, const char *why)
{
	f->place = HTTP_REFUSED;
	f->why = why;
}

/* -- lines ------------------------------------------------------------------------------------ */

static void http_request_next_head(struct http_follower *f)
{
	f->head = (struct http_head){0};
	f->place = HTTP_HEAD;
}

/* Choose the body's framing at the empty line after a request's head. */
static const char *http_request_begin_body(struct http_follower *f)
{
	const char *why = http_head_end(&f->head);

	if (!why && f->head.is_upgrade && f->requests)
		why = "an Upgrade that is not in the first request of its connection";
	if (why)
		return why;
	f->requests++;
	f->left = f->head.length;
	if (f->head.is_upgrade) {
		f->upgrade_asked = true;
		f->place = HTTP_UPGRADE;
	} else if (f->head.is_chunked) {
		f->place = HTTP_CHUNK_SIZE;
	} else if (f->left) {
		f->place = HTTP_LENGTH;
	} else {
		http_request_next_head(f);
	}
	return NULL;
}

/* Read a chunk's size: hexadecimal digits, and perhaps extensions: ";name=value". */
static const char *http_request_chunk(struct http_follower *f, const char *line, size_t size)
{
	size_t digits = 0;

	f->left = 0;
	while (digits < size && hex_digit(line[digits]) >= 0) {
		if (digits == CHUNK_DIGITS || (digits && line[0] == '0'))
			return "an odd size of a chunk";
		f->left = f->left << 4 | (unsigned)hex_digit(line[digits++]);
	}
	if (!digits || (digits < size && line[digits] != ';'))
		return "an odd size of a chunk";
	for (size_t i = digits; i < size; i++) {
		if (!http_is_token(line[i]) && !strchr(";=\"", line[i]))
			return "an odd extension of a chunk";
	}
	f->head.fields = 0; /* count the trailers anew */
	f->place = f->left ? HTTP_CHUNK : HTTP_TRAILERS;
	return NULL;
}

/*
 * Judge one line without its CRLF. *done: the held lines are complete, and the place is the next
 * one. Returns NULL, or why to refuse it.
 */
static const char *http_request_line(struct http_follower *f, const char *line, size_t size,
				     bool *done)
{
	*done = !size;
	switch (f->place) {
	case HTTP_HEAD:
		if (f->lines == 0)
			return http_head_request(&f->head, &f->host, line, size);
		if (size)
			return http_head_field(&f->head, &f->host, line, size);
		return http_request_begin_body(f);
	case HTTP_CHUNK_SIZE:
		*done = true;
		return http_request_chunk(f, line, size);
	case HTTP_CHUNK_END:
		f->place = HTTP_CHUNK_SIZE;
		return size ? "a chunk that is longer than its size" : NULL;
	case HTTP_TRAILERS:
		if (size)
			return http_head_trailer(&f->head, line, size);
		http_request_next_head(f);
		return NULL;
	case HTTP_LENGTH:
	case HTTP_CHUNK:
	case HTTP_UPGRADE:
	case HTTP_OPAQUE:
	case HTTP_REFUSED:
		break;
	}
	return "not in a line";
}

static size_t http_request_most(const struct http_follower *f)
{
	if (f->place == HTTP_CHUNK_END)
		return 2;
	return f->place == HTTP_CHUNK_SIZE ? HTTP_LINE_MAX : HTTP_HEAD_MAX;
}

/* Returns NULL, or why a line may not contain this byte. */
static const char *http_request_byte(const uint8_t *bytes, size_t at)
{
	bool is_after_cr = at && bytes[at - 1] == '\r';
	uint8_t c = bytes[at];

	if ((c == '\n') != is_after_cr)
		return c == '\n' ? "a line that ends with LF alone" : "CR without LF";
	if ((c < ' ' && !strchr("\t\r\n", c)) || c == '\0' || c == 0x7f)
		return "a control character in a line";
	return NULL;
}

/*
 * Continue where the last call stopped. Returns the size of all lines once they are complete, or 0.
 */
static size_t http_request_lines(struct http_follower *f, const uint8_t *bytes, size_t size)
{
	const size_t most = http_request_most(f);

	while (f->scanned < size) {
		size_t at = f->scanned++;
		const char *why = http_request_byte(bytes, at);
		bool done = false;

		if (!why && bytes[at] == '\n') {
			why = http_request_line(f, (const char *)bytes + f->line, at - 1 - f->line,
						&done);
			f->line = f->scanned;
			f->lines++;
		}
		if (!why && !done && f->scanned >= most)
			why = "lines that are too long";
		if (why) {
			http_request_refuse(f, why);
			return 0;
		}
		if (done) {
			f->scanned = f->line = f->lines = 0;
			return at + 1;
		}
	}
	return 0;
}

/* -- the stream ------------------------------------------------------------------------------- */

static size_t http_request_body(struct http_follower *f, size_t size)
{
	if (size > f->left)
		size = (size_t)f->left;
	f->left -= size;
	if (!f->left && f->place == HTTP_CHUNK)
		f->place = HTTP_CHUNK_END;
	else if (!f->left)
		http_request_next_head(f);
	return size;
}

/* Returns how many bytes may be forwarded next; 0: none yet. */
static size_t http_request_step(struct http_follower *f, const uint8_t *bytes, size_t size)
{
	switch (f->place) {
	case HTTP_HEAD:
	case HTTP_CHUNK_SIZE:
	case HTTP_CHUNK_END:
	case HTTP_TRAILERS:
		return http_request_lines(f, bytes, size);
	case HTTP_LENGTH:
	case HTTP_CHUNK:
		return http_request_body(f, size);
	case HTTP_OPAQUE:
		return size;
	case HTTP_UPGRADE:
	case HTTP_REFUSED:
		break;
	}
	return 0;
}

ssize_t http_follow(struct http_follower *follower, const uint8_t *bytes, size_t size)
{
	size_t used = 0;

	while (used < size) {
		size_t n = http_request_step(follower, bytes + used, size - used);

		if (!n)
			break;
		used += n;
	}
	if (!used && follower->place == HTTP_REFUSED)
		return -1;
	return (ssize_t)used;
}

void http_follower_answered(struct http_follower *follower, int status)
{
	if (follower->place != HTTP_UPGRADE)
		return;
	if (status == SWITCHED) {
		follower->place = HTTP_OPAQUE;
	} else if (status >= FINAL_STATUS) {
		http_request_next_head(follower);
	} else {
		return;
	}
	follower->upgrade_asked = false;
}
