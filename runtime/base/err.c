/*
 * err - fill, wrap and render the one error type.
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void err_fill(struct err *e, enum err_kind kind, const char *format, ...)
{
	va_list ap;

	e->kind = kind;
	e->number = 0;
	va_start(ap, format);
	vsnprintf(e->text, sizeof(e->text), format, ap);
	va_end(ap);
}

void err_fill_errno(struct err *e, const char *format, ...)
{
	int number = errno;
	va_list ap;

	e->kind = ERR_SYSTEM;
	e->number = number;
	va_start(ap, format);
	vsnprintf(e->text, sizeof(e->text), format, ap);
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
	if (e->number)
		snprintf(out, out_size, "%s: %s", e->text, strerror(e->number));
	else
		snprintf(out, out_size, "%s", e->text);
	for (unsigned char *p = (unsigned char *)out; *p; p++) {
		if (*p < 0x20 || *p == 0x7f)
			*p = '?';
		else if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) /* C1 controls, in UTF-8 */
			p[0] = p[1] = '?';
	}
	return out;
}
