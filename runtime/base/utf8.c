/*
 * utf8 - encode and decode one code point at a time.
 */
#include "base/utf8.h"

#include <string.h>

size_t utf8_decode(const unsigned char *p, size_t left, uint32_t *code)
{
	unsigned char low = 0x80;
	unsigned char high = 0xbf;
	size_t follow;
	size_t i;

	*code = p[0];
	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf) {
		follow = 1;
		*code = p[0] & 0x1fu;
	} else if (p[0] >= 0xe0 && p[0] <= 0xef) {
		follow = 2;
		*code = p[0] & 0x0fu;
		low = p[0] == 0xe0 ? 0xa0 : 0x80;
		high = p[0] == 0xed ? 0x9f : 0xbf;
	} else if (p[0] >= 0xf0 && p[0] <= 0xf4) {
		follow = 3;
		*code = p[0] & 0x07u;
		low = p[0] == 0xf0 ? 0x90 : 0x80;
		high = p[0] == 0xf4 ? 0x8f : 0xbf;
	} else {
		*code = 0xfffd;
		return 1;
	}
	for (i = 1; i <= follow; i++) {
		if (i >= left || p[i] < low || p[i] > high) {
			*code = 0xfffd;
			return i;
		}
		*code = *code << 6 | (p[i] & 0x3fu);
		low = 0x80;
		high = 0xbf;
	}
	return i;
}

/* The length of the character that begins with this byte; 1 for an invalid lead. */
static size_t utf8_promised(unsigned char lead)
{
	if (lead >= 0xf0 && lead <= 0xf4)
		return 4;
	if (lead >= 0xe0)
		return lead <= 0xef ? 3 : 1;
	return lead >= 0xc2 ? 2 : 1;
}

bool utf8_is_partial(const unsigned char *p, size_t length)
{
	uint32_t code;

	return utf8_promised(p[0]) > length && utf8_decode(p, length, &code) == length;
}

size_t utf8_tail(const char *text, size_t length)
{
	const unsigned char *end = (const unsigned char *)text + length;

	for (size_t n = 1; n < 4 && n <= length; n++) {
		if (utf8_is_partial(end - n, n))
			return n;
	}
	return 0;
}

size_t utf8_encode(uint32_t code, char *out)
{
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = length; i-- > 1; code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));
	out[0] = (char)(lead[length] | code);
	return length;
}

bool utf8_is_substitute(const unsigned char *p, size_t used, uint32_t code)
{
	return code == 0xfffd && (used != 3 || memcmp(p, "\xef\xbf\xbd", 3) != 0);
}

bool utf8_is_valid(const char *text, size_t length)
{
	const unsigned char *p = (const unsigned char *)text;
	uint32_t code;

	for (size_t i = 0; i < length;) {
		size_t used = utf8_decode(p + i, length - i, &code);

		/*
		 * U+FFFD itself has exactly these three bytes; as a substitute it replaces fewer,
		 * or others.
		 */
		if (code == 0xfffd &&
		    (used != 3 || p[i] != 0xef || p[i + 1] != 0xbf || p[i + 2] != 0xbd))
			return false;
		i += used;
	}
	return true;
}
