/*
 * spare_fds - a reserve of descriptors.
 */
#include "warm/spare_fds.h"

#include <errno.h>
#include <fcntl.h>

#include "base/own.h"

bool spare_fds_fill(struct spare_fds *s)
{
	/* Open files separately, without dup(): the machine's limit counts open files. */
	while (s->count < SPARE_FDS) {
		int fd = open("/", O_PATH | O_CLOEXEC);

		if (fd < 0)
			return false;
		s->fds[s->count++] = fd;
	}
	return true;
}

void spare_fds_release(struct spare_fds *s, unsigned keep)
{
	while (s->count > keep)
		own_close(&s->fds[--s->count]);
}

bool spare_fds_are_wanted(void)
{
	return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
}
