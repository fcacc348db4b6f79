/*
 * err - fill, wrap and render the one error type.
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

static const char *const names[ERR_KINDS] = {
	[ERR_NONE] = "none",           [ERR_USAGE] = "usage",
	[ERR_INPUT] = "invalid",       [ERR_UNSUPPORTED] = "unsupported",
	[ERR_NOT_FOUND] = "not_found", [ERR_EXISTS] = "exists",
	[ERR_BUSY] = "busy",           [ERR_GONE] = "gone",
	[ERR_DENIED] = "denied",       [ERR_LIMIT] = "limit",
	[ERR_SYSTEM] = "system",
};

const char *err_kind_name(enum err_kind kind)
{
	/* a number from another process can have any value */
	return (unsigned)kind < ERR_KINDS ? names[kind] : names[ERR_SYSTEM];
}

enum err_kind err_kind_of(const char *name)
{
	for (int i = 0; i < ERR_KINDS; i++) {
		if (!strcmp(names[i], name))
			return (enum err_kind)i;
	}
	return ERR_NONE;
}

static void err_write(struct err *e, enum err_kind kind, int number, const char *format, va_list ap)
{
	e->kind = kind;
	e->number = number;
	e->namespaces = 0;
	e->no_process = false;
	vsnprintf(e->text, sizeof(e->text), format, ap);
}

void err_fill(struct err *e, enum err_kind kind, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	err_write(e, kind, 0, format, ap);
	va_end(ap);
}

void err_fill_errno(struct err *e, const char *format, ...)
{
	int number = errno;
	va_list ap;

	va_start(ap, format);
	err_write(e, ERR_SYSTEM, number, format, ap);
	va_end(ap);
}

void err_wrap(struct err *e, const char *format, ...)
{
	char old[sizeof(e->text)];
	size_t used;
	va_list ap;
	int n;

	memcpy(old, e->text, sizeof(old));
	va_start(ap, format);
	n = vsnprintf(e->text, sizeof(e->text), format, ap);
	va_end(ap);
	used = n < 0 ? 0 : (size_t)n;
	if (used < sizeof(e->text))
		snprintf(e->text + used, sizeof(e->text) - used, ": %.400s", old);
}

const char *err_string(const struct err *e, char *out, unsigned long out_size)
{
	auto_buf struct buf line = {0};
	size_t length;

	escape_line(e->text, strlen(e->text), &line);
	if (e->number)
		buf_printf(&line, ": %s", strerror(e->number));
	if (e->number == EMFILE)
		buf_text(&line, " (raise the limit: ulimit -n 1024)");
	length = escape_whole(line.data, line.length < out_size ? line.length : out_size - 1);
	memcpy(out, buf_string(&line), length);
	out[length] = '\0';
	return out;
}
