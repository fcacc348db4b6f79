/*
 * console - output for people, with a status line below the text.
 */
#include "agent/show/console.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <uniwidth.h>

#include "base/parse.h"
#include "base/utf8.h"
#include "loop/fd.h"
#include "loop/loop.h"

#define WIDTH_DEFAULT 80
#define WIDTH_MAX     10000
#define PENDING_BYTES 65536

/* SGR parameters. */
static const char *const style_codes[] = {
	[STYLE_PLAIN] = "",  [STYLE_DIM] = "2",  [STYLE_HEAD] = "1;36", [STYLE_ERROR] = "31",
	[STYLE_WARN] = "33", [STYLE_BOLD] = "1", [STYLE_ITALIC] = "3",  [STYLE_CODE] = "36",
};

static bool console_is_set(const char *name)
{
	const char *value = getenv(name);

	return value && value[0];
}

void console_open(struct console *c, int fd)
{
	const char *term = getenv("TERM");

	*c = (struct console){.fd = fd};
	c->terminal = isatty(fd) && term && term[0] && strcmp(term, "dumb") != 0;
	c->colour = c->terminal && !console_is_set("NO_COLOR");
}

size_t console_width(const struct console *c)
{
	struct winsize size;
	struct err e;
	int64_t columns = WIDTH_DEFAULT;

	if (!ioctl(c->fd, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	if (console_is_set("COLUMNS"))
		(void)parse_int(getenv("COLUMNS"), 1, WIDTH_MAX, &columns, &e);
	return (size_t)columns;
}

/* 0 for combining marks, 2 for wide East Asian characters and emoji, else 1. */
static unsigned console_columns_of(uint32_t code)
{
	int width = uc_width(code, "UTF-8");

	return width < 0 ? 1 : (unsigned)width;
}

size_t console_cut(const char *text, size_t length, size_t columns, size_t *used)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t i = 0;

	*used = 0;
	while (i < length) {
		uint32_t code;
		size_t n = utf8_decode(p + i, length - i, &code);
		unsigned width = console_columns_of(code);

		if (*used + width > columns)
			break;
		*used += width;
		i += n;
	}
	return i;
}

/* Write everything, even to a terminal that another process has made non-blocking. */
static void console_write_out(struct console *c, const struct buf *b)
{
	const char *p = b->data;
	size_t left = b->length;

	while (left && !c->error) {
		ssize_t n = write(c->fd, p, left);

		if (n >= 0) {
			p += n;
			left -= (size_t)n;
		} else if (errno == EAGAIN) {
			fd_await(c->fd, POLLOUT, LOOP_NEVER);
		} else if (errno != EINTR) {
			c->error = errno;
		}
	}
}

static void console_write_pending(struct console *c)
{
	console_write_out(c, &c->pending);
	c->pending.length = 0;
}

/* Erase the status line before writing in its place. */
static void console_hide_status(struct console *c)
{
	if (!c->status_drawn)
		return;
	buf_text(&c->pending, "\033[J");
	c->status_drawn = false;
}

/* Track the cursor over a text. A terminal wraps before the character after the last column. */
static void console_advance(struct console *c, const char *text, size_t length)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t width = console_width(c);

	for (size_t i = 0; i < length;) {
		uint32_t code;
		unsigned columns;

		i += utf8_decode(p + i, length - i, &code);
		if (code == '\n' || code == '\r') {
			c->column = 0;
			continue;
		}
		if (code == '\t') {
			c->column = (c->column / 8 + 1) * 8;
			if (c->column >= width)
				c->column = width - 1;
			continue;
		}
		columns = console_columns_of(code);
		c->column = c->column + columns > width ? columns : c->column + columns;
	}
}

void console_add(struct console *c, enum style style, const char *text, size_t length)
{
	bool styled = c->colour && style_codes[style][0];

	if (!length || c->error)
		return;
	console_hide_status(c);
	if (styled)
		buf_printf(&c->pending, "\033[%sm", style_codes[style]);
	buf_add(&c->pending, text, length);
	if (styled)
		buf_text(&c->pending, "\033[0m");
	console_advance(c, text, length);
	if (c->pending.length > PENDING_BYTES)
		console_write_pending(c);
}

void console_text(struct console *c, enum style style, const char *text)
{
	console_add(c, style, text, strlen(text));
}

void console_printf(struct console *c, enum style style, const char *format, ...)
{
	auto_buf struct buf text = {0};
	va_list arguments;

	va_start(arguments, format);
	buf_vprintf(&text, format, arguments);
	va_end(arguments);
	console_add(c, style, buf_string(&text), text.length);
}

void console_painted(struct console *c, const struct buf *line)
{
	if (c->error)
		return;
	console_hide_status(c);
	if (line->length)
		buf_add(&c->pending, line->data, line->length);
	buf_text(&c->pending, "\n");
	c->column = 0;
	if (c->pending.length > PENDING_BYTES)
		console_write_pending(c);
}

void console_fresh_line(struct console *c)
{
	if (c->column)
		console_text(c, STYLE_PLAIN, "\n");
}

void console_echoed(struct console *c)
{
	if (c->terminal && !c->column)
		c->column = 2; /* ^C */
}

void console_status(struct console *c, const char *text)
{
	if (!text)
		text = "";
	if (!c->terminal || !strcmp(text, buf_string(&c->status)))
		return;
	console_hide_status(c);
	c->status.length = 0;
	buf_text(&c->status, text);
	if (!c->status.length)
		buf_fini(&c->status);
}

/*
 * Draw the status on the cursor's line while that is empty, else on the line below. IND makes sure
 * that this line exists, by scrolling at the bottom, and keeps the column. At the right edge, just
 * before the wrap, moving the cursor would lose a character: wait for the next text.
 */
static void console_draw_status(struct console *c)
{
	const char *dim = c->colour ? "\033[2m" : "";
	const char *plain = c->colour ? "\033[0m" : "";
	size_t width = console_width(c);
	size_t length;
	size_t used;

	if (c->status_drawn || !c->status.length || c->column >= width)
		return;
	length = console_cut(c->status.data, c->status.length, width - 1, &used);
	buf_text(&c->pending, c->column ? "\033D\033[A\0337\r\n" : "");
	buf_text(&c->pending, dim);
	buf_add(&c->pending, c->status.data, length);
	buf_text(&c->pending, plain);
	buf_text(&c->pending, c->column ? "\0338" : "\r");
	c->status_drawn = true;
}

void console_flush(struct console *c)
{
	if (c->terminal)
		console_draw_status(c);
	console_write_pending(c);
}

void console_close(struct console *c)
{
	console_status(c, NULL);
	console_fresh_line(c);
	console_flush(c);
	buf_fini(&c->pending);
	buf_fini(&c->status);
}
