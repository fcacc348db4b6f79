/*
 * terminal_text - reduce a program's output to the text that a terminal would show.
 */
#include "base/terminal_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/utf8.h"

#define ESC             0x1b
#define LINE_LEAST      256  /* initial capacity of a line, in characters */
#define PARAMETER_OTHER 1000 /* neither absent nor one small number */
#define PIECE           256  /* characters to encode at once */

static void terminal_text_write(struct terminal_text *t, uint32_t code)
{
	if (t->cursor == t->length) {
		if (t->out->cap && t->length >= t->out->cap) {
			t->out->truncated = true;
			return;
		}
		if (t->length == t->capacity) {
			t->capacity = t->capacity ? 2 * t->capacity : LINE_LEAST;
			t->line = own_resize(t->line, t->capacity, sizeof(*t->line));
		}
		t->length++;
	}
	t->line[t->cursor++] = code;
}

void terminal_text_put_line(const struct terminal_text *t, struct buf *out)
{
	char piece[4 * PIECE];
	size_t used = 0;

	for (size_t i = 0; i < t->length; i++) {
		used += utf8_encode(t->line[i], piece + used);
		if (used > sizeof(piece) - 4) {
			buf_add(out, piece, used);
			used = 0;
		}
	}
	buf_add(out, piece, used);
}

static void terminal_text_end_line(struct terminal_text *t)
{
	terminal_text_put_line(t, t->out);
	t->length = t->cursor = 0;
}

/* Take a plain character. Returns the next state. */
static enum terminal_text_state terminal_text_take_plain(struct terminal_text *t, uint32_t code)
{
	if (code == ESC)
		return TERMINAL_ESCAPE;
	if (code == '\n') {
		terminal_text_end_line(t);
		buf_add(t->out, "\n", 1);
	} else if (code == '\r') {
		t->cursor = 0;
	} else if (code == '\b') {
		t->cursor -= t->cursor > 0;
	} else if (code == '\t' || (code >= 0x20 && code != 0x7f)) {
		terminal_text_write(t, code);
	}
	return TERMINAL_TEXT;
}

static enum terminal_text_state terminal_text_take_escape(struct terminal_text *t, uint32_t code)
{
	if (code >= 0x20 && code <= 0x2f)
		return TERMINAL_CHARSET;
	if (t->state == TERMINAL_ESCAPE && code == '[') {
		t->parameter = 0;
		return TERMINAL_CSI;
	}
	if (t->state == TERMINAL_ESCAPE && code < 0x7f && strchr("]PX^_", (int)code) && code)
		return TERMINAL_STRING;
	if (code >= 0x30 && code <= 0x7e)
		return TERMINAL_TEXT;
	return terminal_text_take_plain(t, code);
}

static void terminal_text_erase(struct terminal_text *t)
{
	if (t->parameter == 2)
		t->cursor = 0;
	if (t->parameter == 0 || t->parameter == 2)
		t->length = t->cursor;
}

static enum terminal_text_state terminal_text_take_csi(struct terminal_text *t, uint32_t code)
{
	if (code >= '0' && code <= '9' && t->parameter < PARAMETER_OTHER) {
		t->parameter = 10 * t->parameter + (code - '0');
		return TERMINAL_CSI;
	}
	if (code >= 0x20 && code <= 0x3f) {
		t->parameter = PARAMETER_OTHER;
		return TERMINAL_CSI;
	}
	if (code < 0x40 || code > 0x7e)
		return terminal_text_take_plain(t, code);
	if (code == 'K' || code == 'J')
		terminal_text_erase(t);
	return TERMINAL_TEXT;
}

static enum terminal_text_state terminal_text_take_string(struct terminal_text *t, uint32_t code)
{
	switch (code) {
	case ESC: /* of ST, or of the next sequence */
	case '\n':
		return terminal_text_take_plain(t, code);
	case 0x07: /* BEL */
	case 0x18: /* CAN */
	case 0x1a: /* SUB */
		return TERMINAL_TEXT;
	default:
		return TERMINAL_STRING;
	}
}

static void terminal_text_take(struct terminal_text *t, uint32_t code)
{
	switch (t->state) {
	case TERMINAL_TEXT:
		t->state = terminal_text_take_plain(t, code);
		return;
	case TERMINAL_ESCAPE:
	case TERMINAL_CHARSET:
		t->state = terminal_text_take_escape(t, code);
		return;
	case TERMINAL_CSI:
		t->state = terminal_text_take_csi(t, code);
		return;
	case TERMINAL_STRING:
		t->state = terminal_text_take_string(t, code);
		return;
	}
}

/* Take the characters in `held`. @is_last: no byte follows, so a partial one is final. */
static void terminal_text_take_held(struct terminal_text *t, bool is_last)
{
	while (t->held_count && (is_last || !utf8_is_partial(t->held, t->held_count))) {
		uint32_t code;
		const size_t used = utf8_decode(t->held, t->held_count, &code);

		t->held_count -= used;
		memmove(t->held, t->held + used, t->held_count);
		terminal_text_take(t, code);
	}
}

void terminal_text_add(struct terminal_text *t, const void *bytes, size_t length)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < length; i++) {
		if (!t->held_count && p[i] < 0x80) {
			terminal_text_take(t, p[i]);
			continue;
		}
		t->held[t->held_count++] = p[i];
		terminal_text_take_held(t, false);
	}
}

void terminal_text_flush(struct terminal_text *t)
{
	if (t->state == TERMINAL_TEXT && !t->held_count && t->cursor == t->length)
		terminal_text_end_line(t);
}

void terminal_text_end(struct terminal_text *t)
{
	terminal_text_take_held(t, true);
	terminal_text_end_line(t);
	t->state = TERMINAL_TEXT;
}

void terminal_text_fini(struct terminal_text *t)
{
	free(t->line);
	*t = (struct terminal_text){.out = t->out};
}

void terminal_text(const void *bytes, size_t length, struct buf *out)
{
	struct terminal_text t = {.out = out};

	terminal_text_add(&t, bytes, length);
	terminal_text_end(&t);
	terminal_text_fini(&t);
}
