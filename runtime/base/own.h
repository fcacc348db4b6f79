/*
 * own - scope-bound ownership: a local that is released when its scope ends.
 *
 * `auto_fd int fd = open(...)` closes on every path; `return take_fd(&fd)`
 * hands the descriptor over instead. The same for heap blocks, and copies of texts to own.
 *
 * No side effects beyond releasing what is owned.
 */
#ifndef GLOVEBOX_BASE_OWN_H
#define GLOVEBOX_BASE_OWN_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void own_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

static inline void own_free(void *slot)
{
	free(*(void **)slot);
	*(void **)slot = NULL;
}

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static inline void *own_take(void *slot)
{
	void *taken = *(void **)slot;

	*(void **)slot = NULL;
	return taken;
}

/* A copy, owned by the caller; NULL of NULL. Never fails: without memory it aborts, as buf does. */
static inline char *own_strdup(const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		abort();
	return copy;
}

/* The same of at most `length` bytes; it ends at a NUL among them. */
static inline char *own_strndup(const char *bytes, size_t length)
{
	char *copy = strndup(bytes, length);

	if (!copy)
		abort();
	return copy;
}

#define auto_fd        __attribute__((cleanup(own_close)))
#define auto_free      __attribute__((cleanup(own_free)))
#define take_ptr(slot) ((__typeof__(*(slot)))own_take(slot))

#endif
