/*
 * percent - percent-encoding (RFC 3986, 2.1).
 */
#include "web/percent.h"

#include <ctype.h>

static int percent_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

int percent_decode(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		if (*at != '%') {
			*to++ = *at;
			continue;
		}
		if (!isxdigit((unsigned char)at[1]) || !isxdigit((unsigned char)at[2]))
			return -1;
		*to = (char)(percent_digit(at[1]) * 16 + percent_digit(at[2]));
		if (!*to++)
			return -1;
		at += 2;
	}
	*to = '\0';
	return 0;
}
