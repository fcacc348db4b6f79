/*
 * text_width - how many columns text takes on a terminal: the only user of libunistring.
 */
#include "agent/show/text_width.h"

#include <uniwidth.h>

#include "base/utf8.h"

unsigned text_width_of(uint32_t code)
{
	int width = uc_width(code, "UTF-8");

	return width < 0 ? 1 : (unsigned)width;
}

size_t text_width_cut(const char *text, size_t length, size_t columns, size_t *used)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t i = 0;

	*used = 0;
	while (i < length) {
		uint32_t code;
		size_t n = utf8_decode(p + i, length - i, &code);
		unsigned width = text_width_of(code);

		if (*used + width > columns)
			break;
		*used += width;
		i += n;
	}
	return i;
}
