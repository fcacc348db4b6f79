/*
 * parts - split bytes into lines, or server-sent events.
 */
#include "agent/server/parts.h"

#include "agent/data/text.h"

/* Pass on the buffer without its last byte. */
static int parts_tell(struct parts *p, struct buf *part, struct err *e)
{
	int status = 0;

	if (part->length > 1) {
		buf_cut(part, part->length - 1);
		status = p->part(p->context, part->data, part->length, e);
	}
	part->length = 0;
	return status;
}

/* Read "name: value"; the space is not part of the value. */
static void parts_take_field(struct parts *p, const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length);
	size_t name = colon ? (size_t)(colon - line) : length;
	size_t value = colon ? name + 1 : length;

	if (!(name == 4 && !memcmp(line, "data", 4)) && !(name == 5 && !memcmp(line, "error", 5)))
		return;
	if (value < length && line[value] == ' ')
		value++;
	buf_add(&p->data, line + value, length - value);
	buf_add(&p->data, "\n", 1);
}

static int parts_end_event_line(struct parts *p, struct err *e)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	const char *line = buf_string(&p->line);
	size_t length = p->line.length;

	if (!p->after_start && length >= 3 && !memcmp(line, byte_order_mark, 3)) {
		line += 3;
		length -= 3;
	}
	p->after_start = true;
	p->line.length = 0;
	if (!length)
		return parts_tell(p, &p->data, e);
	parts_take_field(p, line, length);
	return 0;
}

static int parts_end_line(struct parts *p, struct err *e)
{
	size_t length = p->line.length;

	if (p->form == PARTS_EVENTS)
		return parts_end_event_line(p, e);
	if (!length || p->line.data[length - 1] != '\r')
		buf_add(&p->line, "\n", 1);
	return parts_tell(p, &p->line, e);
}

/* Count the bytes before the next line end. */
static size_t parts_before_end(const struct parts *p, const char *bytes, size_t length)
{
	size_t part = text_line_end(bytes, 0, length);
	const char *cr = p->form == PARTS_EVENTS ? memchr(bytes, '\r', part) : NULL;

	return cr ? (size_t)(cr - bytes) : part;
}

int parts_take(struct parts *p, const char *bytes, size_t length, struct err *e)
{
	size_t max = p->max ? p->max : PARTS_MAX;

	while (length) {
		size_t part;

		if (p->after_cr && *bytes == '\n') {
			bytes++;
			length--;
		}
		p->after_cr = false;
		part = parts_before_end(p, bytes, length);
		if (part > max || part + p->line.length + p->data.length > max)
			return err_input(e, "%s of more than %zu bytes",
					 p->form == PARTS_EVENTS ? "an event" : "a line", max);
		buf_add(&p->line, bytes, part);
		if (part == length)
			return 0;
		p->after_cr = bytes[part] == '\r';
		if (parts_end_line(p, e))
			return -1;
		bytes += part + 1;
		length -= part + 1;
	}
	return 0;
}

int parts_finish(struct parts *p, struct err *e)
{
	if (p->line.length && parts_end_line(p, e))
		return -1;
	return parts_tell(p, &p->data, e);
}

void parts_fini(struct parts *p)
{
	buf_fini(&p->line);
	buf_fini(&p->data);
}
