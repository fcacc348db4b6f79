/*
 * characters - text at a prompt is UTF-8, whatever locale: what libedit asks the C library for.
 *
 * A static program has the locale C alone (libc.c), in which libedit would drop every character
 * beyond ASCII. The linker has these functions stand for the C library's (-Wl,--wrap).
 */
#include <stdint.h>
#include <string.h>
#include <uniwidth.h>
#include <wchar.h>
#include <wctype.h>

#include "base/utf8.h"

#define ASCII_END 0x80

int __real_iswalnum(wint_t c);
int __wrap_iswalnum(wint_t c);
int __wrap_iswprint(wint_t c);
int __wrap_wcwidth(wchar_t c);
int __wrap_wctomb(char *out, wchar_t c);
size_t __wrap_mbstowcs(wchar_t *out, const char *text, size_t most);

int __wrap_wcwidth(wchar_t c)
{
	return c ? uc_width((ucs4_t)c, "UTF-8") : 0;
}

int __wrap_iswprint(wint_t c)
{
	return c && uc_width(c, "UTF-8") >= 0;
}

/* libedit asks it where a word ends. */
int __wrap_iswalnum(wint_t c)
{
	return c < ASCII_END ? __real_iswalnum(c) : c != WEOF;
}

int __wrap_wctomb(char *out, wchar_t c)
{
	return out ? (int)utf8_encode((uint32_t)c, out) : 0;
}

size_t __wrap_mbstowcs(wchar_t *out, const char *text, size_t most)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t left = strlen(text);
	size_t count = 0;

	while (left && (!out || count < most)) {
		uint32_t code;
		size_t used = utf8_decode(p, left, &code);

		if (out)
			out[count] = (wchar_t)code;
		count++;
		p += used;
		left -= used;
	}
	if (out && count < most)
		out[count] = L'\0';
	return count;
}
