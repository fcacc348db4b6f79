/*
 * http_head - whether a head of HTTP/1.x means one host only, to every reader.
 *
 * One line at a time, so that a request is refused as soon as it can be. Strict where servers are
 * lenient: what two of them could read differently is refused, and nothing is mended.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_HTTP_HEAD_H
#define GLOVEBOX_EGRESS_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "egress/http_host.h"

#define HTTP_FIELDS_MAX 200

/* What the lines so far have said; all zero before the first. */
struct http_head {
	bool is_http10;
	bool is_get;
	bool has_host;
	bool has_length;
	bool is_chunked;
	bool is_upgrade; /* to websocket, the only one that is let through */
	uint64_t length;
	size_t fields;
};

/*
 * http_head_request, http_head_field, http_head_end - judge the request line, one line behind it,
 * and the whole. Lines come without CRLF; their bytes are hostile, without NUL, CR or LF.
 * http_head_trailer judges a line behind the last chunk, where nothing may be said that belongs
 * into a head.
 *
 * Return NULL, or why it is refused: static, for people.
 */
const char *http_head_request(struct http_head *head, const struct http_host *host,
			      const char *line, size_t size) __attribute__((nonnull));
const char *http_head_field(struct http_head *head, const struct http_host *host, const char *line,
			    size_t size) __attribute__((nonnull));
const char *http_head_trailer(struct http_head *head, const char *line, size_t size)
	__attribute__((nonnull));
const char *http_head_end(const struct http_head *head) __attribute__((nonnull));

#endif
