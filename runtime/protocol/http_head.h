/*
 * http_head - judge that every reader of a head (HTTP/1.x) takes it for the same host.
 *
 * It judges line by line, to refuse a request as early as possible. It is strict where servers are
 * lenient: it refuses what two servers could read differently, and repairs nothing.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_PROTOCOL_HTTP_HEAD_H
#define GLOVEBOX_PROTOCOL_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/http_host.h"

#define HTTP_FIELDS_MAX 200

/* The facts of the lines so far; zero-initialise it before the first. */
struct http_head {
	bool is_http10;
	bool is_get;
	bool has_host;
	bool has_length;
	bool is_chunked;
	bool is_upgrade; /* to websocket, the only protocol allowed */
	uint64_t length;
	size_t fields;
};

/*
 * http_head_request, http_head_field, http_head_end - judge the request line, one line after it,
 * and the complete head. Lines come without CRLF; their bytes are hostile, without NUL, CR or LF.
 * http_head_trailer judges a line after the last chunk, where fields of a head are refused.
 *
 * Return NULL, or why to refuse it: a static message.
 */
const char *http_head_request(struct http_head *head, const struct http_host *host,
			      const char *line, size_t size) __attribute__((nonnull));
const char *http_head_field(struct http_head *head, const struct http_host *host, const char *line,
			    size_t size) __attribute__((nonnull));
const char *http_head_trailer(struct http_head *head, const char *line, size_t size)
	__attribute__((nonnull));
const char *http_head_end(const struct http_head *head) __attribute__((nonnull));

#endif
