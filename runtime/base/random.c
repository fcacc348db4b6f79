/*
 * random - unpredictable bytes.
 */
#include "base/random.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

void random_bytes(void *out, size_t length)
{
	ssize_t n;

	do
		n = getrandom(out, length, 0);
	while (n < 0 && errno == EINTR); /* a signal early at boot, before the kernel is seeded */
	if (n != (ssize_t)length)
		abort();
}
