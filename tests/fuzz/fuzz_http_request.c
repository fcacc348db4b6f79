/*
 * fuzz_http_request - what passes of a connection of HTTP is the same however it was cut, and a
 * reader that is as lenient as can be finds requests for one host in it, and nothing else.
 *
 * Input: one byte (the size of the pieces; from 128 on it is a server's answer), the stream. The
 * host is a.example.org.
 */
#include "fuzz.h"

#include <ctype.h>
#include <strings.h>

#include "protocol/http_answer.h"
#include "protocol/http_request.h"

#define NAME "a.example.org"

/* -- a lenient reader ------------------------------------------------------------------------- */

struct reader {
	const char *at;
	size_t left;
};

/* One line, ended by LF; a CR before it is none of it. Returns false at the end. */
static bool next_line(struct reader *r, const char **line, size_t *size)
{
	const char *end = memchr(r->at, '\n', r->left);

	if (!end)
		return false;
	*line = r->at;
	*size = (size_t)(end - r->at);
	r->at += *size + 1;
	r->left -= *size + 1;
	while (*size && (*line)[*size - 1] == '\r')
		--*size;
	return true;
}

/* The value if the line is this field, with spaces anywhere around its name. */
static const char *value_of(const char *line, size_t size, const char *name, size_t *length)
{
	const char *colon = memchr(line, ':', size);
	const char *end = colon;
	const char *start = line;

	if (!colon)
		return NULL;
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	while (start < end && isspace((unsigned char)*start))
		start++;
	if ((size_t)(end - start) != strlen(name) || strncasecmp(start, name, strlen(name)) != 0)
		return NULL;
	colon++;
	while (colon < line + size && isspace((unsigned char)*colon))
		colon++;
	*length = (size_t)(line + size - colon);
	while (*length && isspace((unsigned char)colon[*length - 1]))
		--*length;
	return colon;
}

static bool is_ours(const char *value, size_t length)
{
	if (length >= 3 && !memcmp(value + length - 3, ":80", 3))
		length -= 3;
	if (length && value[length - 1] == '.')
		length--;
	return length == strlen(NAME) && !strncasecmp(value, NAME, length);
}

static void skip(struct reader *r, uint64_t size)
{
	size_t n = size < r->left ? (size_t)size : r->left;

	r->at += n;
	r->left -= n;
}

static void read_chunks(struct reader *r)
{
	const char *line;
	size_t size;
	uint64_t chunk;

	do {
		if (!next_line(r, &line, &size))
			return;
		chunk = strtoull(line, NULL, 16); /* ends at the latest with the LF */
		skip(r, chunk);
		if (chunk && !r->left)
			return;
		if (chunk && next_line(r, &line, &size))
			MUST(!size);
	} while (chunk);
	while (next_line(r, &line, &size) && size) {
		size_t ignored;

		MUST(!value_of(line, size, "host", &ignored));
	}
}

/* One request, of which at least a byte is there. */
static void read_request(struct reader *r)
{
	const char *line;
	const char *value;
	size_t size;
	size_t length;
	size_t hosts = 0;
	bool is_chunked = false;
	uint64_t body = 0;

	MUST(next_line(r, &line, &size));
	MUST(size && strncasecmp(line, "CONNECT", 7) != 0);
	for (;;) {
		MUST(next_line(r, &line, &size)); /* a head passes as a whole or not at all */
		if (!size)
			break;
		value = value_of(line, size, "host", &length);
		if (value) {
			MUST(is_ours(value, length));
			hosts++;
		}
		value = value_of(line, size, "transfer-encoding", &length);
		is_chunked = is_chunked || value;
		value = value_of(line, size, "content-length", &length);
		if (value)
			body = strtoull(value, NULL, 0);
		MUST(!value || !is_chunked);
	}
	MUST(hosts == 1);
	if (is_chunked)
		read_chunks(r);
	else
		skip(r, body);
}

/* -- the follower ----------------------------------------------------------------------------- */

static size_t feed(struct http_follower *f, const uint8_t *data, size_t size, size_t piece)
{
	size_t start = 0;
	size_t end = 0;
	ssize_t n = 0;

	http_follower_init(f, NAME, 80);
	while (n >= 0 && end < size) {
		end += size - end < piece ? size - end : piece;
		do {
			n = http_follow(f, data + start, end - start);
			MUST(n <= (ssize_t)(end - start));
			start += n > 0 ? (size_t)n : 0;
		} while (n > 0 && start < end);
		MUST(n >= 0 || f->why);
		MUST(f->place == HTTP_UPGRADE || n < 0 || end - start < HTTP_HEAD_MAX);
	}
	return start;
}

static void check_requests(const uint8_t *data, size_t size, size_t piece)
{
	struct http_follower whole;
	struct http_follower cut;
	size_t passed = feed(&whole, data, size, size + 1);
	struct reader reader = {(const char *)data, passed};
	uint64_t requests = 0;

	MUST(feed(&cut, data, size, piece) == passed);
	MUST(cut.why == whole.why && cut.place == whole.place);
	MUST(cut.requests == whole.requests && cut.upgrade_asked == whole.upgrade_asked);
	MUST(whole.place != HTTP_OPAQUE);
	for (; reader.left; requests++)
		read_request(&reader);
	MUST(requests == whole.requests);
	if (!whole.upgrade_asked)
		return;
	MUST(requests == 1 && passed < HTTP_HEAD_MAX + 1);
	http_follower_answered(&whole, 101);
	MUST(http_follow(&whole, data, size) == (ssize_t)size);
}

static void check_answer(const uint8_t *data, size_t size, size_t piece)
{
	struct answer_reader whole = {0};
	struct answer_reader cut = {0};

	(void)answer_feed(&whole, data, size);
	for (size_t at = 0; at < size; at += piece)
		(void)answer_feed(&cut, data + at, size - at < piece ? size - at : piece);
	MUST(cut.status == whole.status && cut.why == whole.why);
	MUST((whole.status < 0) == (whole.why != NULL));
	MUST(whole.status <= 0 || whole.status == 101 ||
	     (whole.status >= 200 && whole.status <= 999));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] >= 128)
		check_answer(data + 1, size - 1, data[0] - 127u);
	else
		check_requests(data + 1, size - 1, data[0] + 1u);
	return 0;
}
