/*
 * idblock - a range of host ids for the cells of one warm supervisor that is root.
 */
#include "host/idblock.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"

#define FIRST  0x80000000u
#define BLOCKS ((1u << 18) - 1) /* the last one holds 0xffffffff, which is no id */
#define TRIES  1000u

/* 1: it is ours now; 0: somebody else's; -1: *e. */
static int try_block(unsigned number, struct idblock *out, struct err *e)
{
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int length =
		snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "glovebox/ids/%u", number);

	if (fd < 0)
		return err_sys(e, "make the lock of an id block");
	if (bind(fd, (const struct sockaddr *)&name,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)))
		return errno == EADDRINUSE ? 0 : err_sys(e, "lock an id block");
	*out = (struct idblock){.lock_fd = take_fd(&fd), .first = FIRST + number * IDBLOCK_COUNT};
	return 1;
}

int idblock_open(struct idblock *out, struct err *e)
{
	unsigned start = (unsigned)getpid();

	*out = idblock_none();
	for (unsigned i = 0; i < TRIES; i++) {
		int found = try_block((start + i) % BLOCKS, out, e);

		if (found)
			return found > 0 ? 0 : -1;
	}
	return err_set(e, ERR_UNSUPPORTED,
		       "no block of ids is free: sockets named @glovebox/ids/ hold %u of them",
		       TRIES);
}

void idblock_close(struct idblock *b)
{
	own_close(&b->lock_fd);
}
