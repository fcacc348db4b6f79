/*
 * own - scope-bound ownership: a local that is released when its scope ends.
 *
 * `auto_fd int fd = open(...)` closes on every path; `return take_fd(&fd)` hands the descriptor
 * over instead. auto_free does the same for heap blocks, which come from here.
 *
 * No side effects but releasing memory and descriptors, and the process's reserve of memory.
 */
#ifndef GLOVEBOX_BASE_OWN_H
#define GLOVEBOX_BASE_OWN_H

#include <errno.h>
#include <stdarg.h>
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

/* Memory owned by the caller. These never fail: without memory the process aborts. */
void *own_zeroed(size_t count, size_t size);
void *own_resize(void *old, size_t count, size_t size); /* replaces `old`, or NULL */
void *own_grow(void *items, size_t count, size_t size); /* room for one more item after `count` */
char *own_strdup(const char *text);                     /* NULL of NULL */
char *own_strndup(const char *bytes, size_t length);    /* stops at a NUL */
char *own_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *own_vprintf(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/*
 * own_reserve - make sure that `bytes` of memory are available, even if the kernel gives no more.
 *
 * For a server that outlives its requests: it calls this before each request that needs at most
 * this much, and refuses the request on failure. Freed memory is available to the next request.
 * Returns 0, or -1: out of memory.
 */
int own_reserve(size_t bytes);

#define auto_fd        __attribute__((cleanup(own_close)))
#define auto_free      __attribute__((cleanup(own_free)))
#define take_ptr(slot) ((__typeof__(*(slot)))own_take(slot))

#endif
