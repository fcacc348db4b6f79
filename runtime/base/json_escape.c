/*
 * json_escape - find, repair and decode the escapes in JSON text.
 */
#include "base/json_escape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* The value of an escape "\\uXXXX" at p, or -1 if p is not one. */
static long json_escape_unit(const char *p, const char *end)
{
	char digits[5];

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return -1;
	memcpy(digits, p + 2, 4);
	digits[4] = '\0';
	return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

/* After an escaped backslash, "u0000" is plain text. */
bool json_has_nul_escape(const char *text, size_t length)
{
	const char *end = text + length;

	for (const char *p = text; (p = memchr(p, '\\', (size_t)(end - p))); p += 2) {
		if (json_escape_unit(p, end) == 0)
			return true;
		if (end - p < 2)
			break;
	}
	return false;
}

void json_repair(char *text, size_t length)
{
	static const char replacement[6] = {'\\', 'u', 'f', 'f', 'f', 'd'};
	char *end = text + length;
	char *p = text;

	while ((p = memchr(p, '\\', (size_t)(end - p))) && end - p >= 2) {
		long code = json_escape_unit(p, end);
		long next = code >= 0 ? json_escape_unit(p + 6, end) : -1;

		if (code >= 0xd800 && code < 0xdc00 && next >= 0xdc00 && next < 0xe000)
			p += 12;
		else if (code == 0 || (code >= 0xd800 && code < 0xe000))
			memcpy(p, replacement, sizeof(replacement));
		else
			p += 2;
	}
}

/* The code point of the \\uXXXX at *at, which may be the first half of a pair. */
static uint32_t json_escape_code(char **at, const char *end)
{
	uint32_t code = (uint32_t)json_escape_unit(*at, end);
	uint32_t low;

	*at += 6;
	if (code < 0xd800 || code >= 0xe000)
		return code;
	low = (uint32_t)json_escape_unit(*at, end);
	*at += 6;
	return 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
}

/* An escape is never shorter than its character in UTF-8. */
static char *json_escape_replace(char **at, const char *end, char *out)
{
	static const char meant[] = {
		['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'};
	unsigned char letter = (unsigned char)(*at)[1];

	if (letter == 'u')
		return out + utf8_encode(json_escape_code(at, end), out);
	*out = letter < sizeof(meant) && meant[letter] ? meant[letter] : (char)letter;
	*at += 2;
	return out + 1;
}

char *json_unescape(char **at, const char *end)
{
	char *text = ++*at;
	char *out = text;

	while (*at < end && **at != '"') {
		if (**at == '\\')
			out = json_escape_replace(at, end, out);
		else
			*out++ = *(*at)++;
	}
	*out = '\0';
	++*at;
	return text;
}
