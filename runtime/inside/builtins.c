/*
 * builtins - functions that a compiler may call by itself, for programs without a libc (on arm64 it
 * does).
 */
#include <stddef.h>

#define HIDDEN __attribute__((visibility("hidden"))) /* Python's libc has its own */

HIDDEN void *memset(void *to, int byte, size_t size);
HIDDEN void *memcpy(void *restrict to, const void *restrict from, size_t size);

/* volatile: otherwise the compiler would replace the loop by a call of this function. */
void *memset(void *to, int byte, size_t size)
{
	volatile char *p = to;

	while (size--)
		*p++ = (char)byte;
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	volatile char *p = to;
	const char *q = from;

	while (size--)
		*p++ = *q++;
	return to;
}
