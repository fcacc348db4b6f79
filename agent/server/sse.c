/*
 * sse - bytes in any cuts become server-sent events.
 */
#include "agent/server/sse.h"

#include <string.h>

static int emit(struct sse *s, struct err *e)
{
	int status = 0;

	if (s->data.length > 1) {
		buf_cut(&s->data, s->data.length - 1);
		status = s->event(s->context, s->data.data, s->data.length, e);
	}
	s->data.length = 0;
	return status;
}

/* "name: value"; the space is not part of the value. */
static void take_field(struct sse *s, const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length);
	size_t name = colon ? (size_t)(colon - line) : length;
	size_t value = colon ? name + 1 : length;

	if (!(name == 4 && !memcmp(line, "data", 4)) && !(name == 5 && !memcmp(line, "error", 5)))
		return;
	if (value < length && line[value] == ' ')
		value++;
	buf_add(&s->data, line + value, length - value);
	buf_add(&s->data, "\n", 1);
}

static int end_line(struct sse *s, struct err *e)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	const char *line = buf_string(&s->line);
	size_t length = s->line.length;

	if (!s->after_start && length >= 3 && !memcmp(line, byte_order_mark, 3)) {
		line += 3;
		length -= 3;
	}
	s->after_start = true;
	s->line.length = 0;
	if (!length)
		return emit(s, e);
	take_field(s, line, length);
	return 0;
}

/* The bytes before the next end of a line. */
static size_t part_before_end(const char *bytes, size_t length)
{
	const char *lf = memchr(bytes, '\n', length);
	const char *cr = memchr(bytes, '\r', lf ? (size_t)(lf - bytes) : length);

	return cr ? (size_t)(cr - bytes) : lf ? (size_t)(lf - bytes) : length;
}

int sse_take(struct sse *s, const char *bytes, size_t length, struct err *e)
{
	size_t max = s->event_max ? s->event_max : SSE_EVENT_MAX;

	while (length) {
		size_t part;

		if (s->after_cr && *bytes == '\n') {
			bytes++;
			length--;
		}
		s->after_cr = false;
		part = part_before_end(bytes, length);
		if (part > max || part + s->line.length + s->data.length > max)
			return err_input(e, "an event of more than %zu bytes", max);
		buf_add(&s->line, bytes, part);
		if (part == length)
			return 0;
		s->after_cr = bytes[part] == '\r';
		if (end_line(s, e))
			return -1;
		bytes += part + 1;
		length -= part + 1;
	}
	return 0;
}

int sse_finish(struct sse *s, struct err *e)
{
	if (s->line.length && end_line(s, e))
		return -1;
	return emit(s, e);
}

void sse_fini(struct sse *s)
{
	buf_fini(&s->line);
	buf_fini(&s->data);
}
