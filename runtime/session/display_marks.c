/*
 * display_marks - find the places of displays in a call's output.
 */
#include "session/display_marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_put.h"
#include "base/utf8.h"

static void display_marks_pass(struct display_marks *m, const char *bytes, size_t length)
{
	m->truncated |= length > m->left;
	length = length < m->left ? length : (size_t)m->left;
	m->left -= length;
	if (length && m->to->buffer)
		buf_add(m->to->buffer, bytes, length);
	if (length && m->to->take)
		m->to->take(m->to->context, bytes, length);
}

/* How many of these bytes continue the mark that may have begun. */
static size_t display_marks_match(const struct display_marks *m, const char *bytes, size_t length)
{
	size_t n = 0;

	while (n < length && m->held + n < DISPLAY_MARK_BYTES && bytes[n] == m->mark[m->held + n])
		n++;
	return n;
}

/* How many bytes precede the first one that may begin a mark. */
static size_t display_marks_skip(const struct display_marks *m, const char *bytes, size_t length)
{
	const bool wanted = m->to->all_displays || m->count < DISPLAYS_MAX;
	const char *first = wanted ? memchr(bytes, m->mark[0], length) : NULL;

	return first ? (size_t)(first - bytes) : length;
}

/*
 * A mark's first byte occurs only once in it: after a mismatch the next mark begins at that byte.
 */
static void display_marks_take(void *marks, const char *bytes, size_t length)
{
	struct display_marks *m = marks;
	auto_buf struct buf text = {0};

	while (length) {
		const size_t plain = m->held ? 0 : display_marks_skip(m, bytes, length);
		const size_t same = display_marks_match(m, bytes + plain, length - plain);

		buf_add(&text, bytes, plain);
		bytes += plain + same;
		length -= plain + same;
		m->held += same;
		if (m->held == DISPLAY_MARK_BYTES) {
			display_marks_pass(m, text.data, text.length);
			buf_cut(&text, 0);
			m->to->display(m->to->context);
			m->held = 0;
			m->count++;
		} else if (length) {
			buf_add(&text, m->mark, m->held);
			m->held = 0;
		}
	}
	display_marks_pass(m, text.data, text.length);
}

struct sink display_marks_begin(struct display_marks *m, uint32_t id, uint64_t most,
				const struct sink *to)
{
	*m = (struct display_marks){.left = most, .to = to};
	snprintf(m->mark, sizeof(m->mark), DISPLAY_MARK "%08" PRIx32, id);
	return (struct sink){.fd = -1, .take = display_marks_take, .context = m};
}

void display_marks_end(struct display_marks *m)
{
	display_marks_pass(m, m->mark, m->held);
	m->held = 0;
}

/* -- places ---------------------------------------------------------------------------------- */

void display_places_add(void *places)
{
	struct display_places *p = places;

	if (p->count < DISPLAYS_MAX)
		p->at[p->count++] = p->text->length;
}

size_t display_places_at(const struct display_places *p, size_t number)
{
	return number < p->count && p->at[number] < p->text->length ? p->at[number]
								    : p->text->length;
}

size_t display_places_copy(const struct display_places *p, size_t from, size_t number,
			   struct buf *out)
{
	const size_t to = display_places_at(p, number);

	buf_add(out, buf_string(p->text) + from, to - from);
	if (out->length && out->data[out->length - 1] != '\n')
		buf_text(out, "\n");
	return to;
}

void display_places_put(const struct display_places *p, struct buf *out)
{
	const unsigned char *bytes = (const unsigned char *)buf_string(p->text);
	size_t characters = 0;
	size_t passed = 0;
	uint32_t ignored;

	json_put_begin(out, "displays_at", '[');
	for (size_t i = 0; i < p->count; i++) {
		for (const size_t at = display_places_at(p, i); passed < at; characters++)
			passed += utf8_decode(bytes + passed, p->text->length - passed, &ignored);
		json_put_uint(out, NULL, characters);
	}
	json_put_end(out, ']');
}
