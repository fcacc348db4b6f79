/*
 * ndjson - bytes in any cuts become lines.
 */
#include "agent/server/ndjson.h"

#include <string.h>

static int emit(struct ndjson *n, struct err *e)
{
	size_t length = n->pending.length;
	int status = 0;

	if (length && n->pending.data[length - 1] == '\r')
		buf_cut(&n->pending, --length);
	if (length)
		status = n->line(n->context, n->pending.data, length, e);
	n->pending.length = 0;
	return status;
}

int ndjson_take(struct ndjson *n, const char *bytes, size_t length, struct err *e)
{
	size_t max = n->line_max ? n->line_max : NDJSON_LINE_MAX;

	while (length) {
		const char *end = memchr(bytes, '\n', length);
		size_t part = end ? (size_t)(end - bytes) : length;

		if (part > max - n->pending.length)
			return err_input(e, "a line of more than %zu bytes", max);
		buf_add(&n->pending, bytes, part);
		if (!end)
			return 0;
		if (emit(n, e))
			return -1;
		bytes = end + 1;
		length -= part + 1;
	}
	return 0;
}

int ndjson_finish(struct ndjson *n, struct err *e)
{
	return emit(n, e);
}

void ndjson_fini(struct ndjson *n)
{
	buf_fini(&n->pending);
}
