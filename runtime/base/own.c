/*
 * own - owned memory, and a reserve of memory.
 */
#include "base/own.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>

#define LARGEST_IN_HEAP (32 << 20) /* the largest M_MMAP_THRESHOLD (mallopt(3)) */

/*
 * The reserve is room in malloc's own heap, which is not returned to the kernel. The kernel may
 * refuse even memory that a process has just freed: its limit may be below its use, or another
 * process was faster.
 */
int own_reserve(size_t bytes)
{
	void *volatile block; /* volatile: otherwise the compiler drops both calls */

	mallopt(M_MMAP_THRESHOLD, LARGEST_IN_HEAP);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	/* Try twice as much: blocks that stay allocated will fragment the room. */
	block = bytes <= SIZE_MAX / 2 ? malloc(2 * bytes) : NULL;
	if (!block)
		block = malloc(bytes);
	if (!block)
		return -1;
	free(block);
	return 0;
}

static void *own_must_have(void *block)
{
	if (!block)
		abort();
	return block;
}

void *own_zeroed(size_t count, size_t size)
{
	return own_must_have(calloc(count, size));
}

void *own_resize(void *old, size_t count, size_t size)
{
	return own_must_have(reallocarray(old, count, size));
}

/* The capacity is the next power of two, so the block is full when the count is one. */
void *own_grow(void *items, size_t count, size_t size)
{
	return count & (count - 1) ? items : own_resize(items, count ? 2 * count : 1, size);
}

char *own_strdup(const char *text)
{
	return text ? own_strndup(text, strlen(text)) : NULL;
}

char *own_strndup(const char *bytes, size_t length)
{
	return own_must_have(strndup(bytes, length));
}

char *own_vprintf(const char *format, va_list arguments)
{
	char *text = NULL;

	return own_must_have(vasprintf(&text, format, arguments) < 0 ? NULL : text);
}

char *own_printf(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = own_vprintf(format, arguments);
	va_end(arguments);
	return text;
}
