/*
 * percent - percent-encoding (RFC 3986, 2.1).
 */
#include "web/percent.h"

#include "base/hex.h"

int percent_decode(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		if (*at != '%') {
			*to++ = *at;
			continue;
		}
		if (hex_digit(at[1]) < 0 || hex_digit(at[2]) < 0)
			return -1;
		*to = (char)(hex_digit(at[1]) * 16 + hex_digit(at[2]));
		if (!*to++)
			return -1;
		at += 2;
	}
	*to = '\0';
	return 0;
}
