/*
 * path_text - write file names for a model to read, and to use in its code.
 */
#include "agent/tell/path_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "agent/tell/defuse.h"
#include "base/utf8.h"

static bool path_text_is_plain(uint32_t code)
{
	if (code < 0x80)
		return isalnum((int)code) || (code && strchr("._-+@,=() /", (int)code));
	return !defuse_is_invisible(code) && code != 0xfffd;
}

static bool path_text_is_plain_name(const char *name)
{
	const unsigned char *p = (const unsigned char *)name;
	size_t length = strlen(name);

	if (!length || isspace(p[0]) || isspace(p[length - 1]) || strstr(name, "  "))
		return false;
	for (size_t i = 0, n; i < length; i += n) {
		uint32_t code;

		n = utf8_decode(p + i, length - i, &code);
		if (!path_text_is_plain(code))
			return false;
	}
	return true;
}

/* Write one character of a Python string in single quotes. */
static void path_text_put_escaped(const unsigned char *p, size_t used, uint32_t code,
				  struct buf *out)
{
	if (utf8_is_substitute(p, used, code)) {
		for (size_t i = 0; i < used; i++)
			buf_printf(out, "\\udc%02x", p[i]);
	} else if (code == '\n' || code == '\t') {
		buf_text(out, code == '\n' ? "\\n" : "\\t");
	} else if (code < 0x20 || code == 0x7f ||
		   (code < 0x80 && strchr("[]<>`|*{}'\\", (int)code))) {
		buf_printf(out, "\\x%02x", code);
	} else if (!defuse_is_invisible(code)) {
		buf_add(out, p, used);
	} else {
		buf_printf(out, code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
	}
}

void path_text(const char *folder, const char *name, struct buf *out)
{
	const unsigned char *p = (const unsigned char *)name;
	size_t length = strlen(name);

	if (path_text_is_plain_name(name)) {
		buf_printf(out, "%s/%s", folder, name);
		return;
	}
	buf_printf(out, "'%s/", folder);
	for (size_t i = 0, n; i < length; i += n) {
		uint32_t code;

		n = utf8_decode(p + i, length - i, &code);
		path_text_put_escaped(p + i, n, code, out);
	}
	buf_text(out, "'");
}

void size_text(uint64_t bytes, struct buf *out)
{
	static const char *const units[] = {"KB", "MB", "GB", "TB"};
	uint64_t tenths = bytes * 10 / 1024;
	size_t unit = 0;

	if (bytes < 1024) {
		buf_printf(out, "%llu bytes", (unsigned long long)bytes);
		return;
	}
	if (bytes > UINT64_MAX / 10)
		tenths = bytes / 1024 * 10;
	for (; tenths >= 10240 && unit < 3; unit++)
		tenths /= 1024;
	buf_printf(out, "%llu", (unsigned long long)(tenths / 10));
	if (tenths % 10)
		buf_printf(out, ".%llu", (unsigned long long)(tenths % 10));
	buf_printf(out, " %s", units[unit]);
}
