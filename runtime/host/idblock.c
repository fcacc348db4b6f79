/*
 * idblock - a range of host ids for the cells of one warm supervisor that is root.
 */
#include "host/idblock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/own.h"
#include "base/private_dir.h"

#define FIRST  0x80000000u
#define BLOCKS ((1u << 18) - 1) /* the last block would hold 0xffffffff, which is not an id */
#define TRIES  1000u

/* A lock of the open file, so it is ours until the last copy of the descriptor is closed. */
static bool idblock_try_block(int fd, unsigned number)
{
	struct flock one = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)number, .l_len = 1};

	return !fcntl(fd, F_OFD_SETLK, &one);
}

int idblock_open_in(const char *directory, struct idblock *out, struct err *e)
{
	unsigned start = (unsigned)getpid();
	auto_fd int dir_fd = private_dir_open(directory, e);
	auto_fd int fd = -1;

	*out = idblock_none();
	if (dir_fd < 0)
		return -1;
	fd = openat(dir_fd, "ids", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "open %.300s/ids", directory);
	for (unsigned i = 0; i < TRIES; i++) {
		unsigned number = (start + i) % BLOCKS;

		if (idblock_try_block(fd, number)) {
			out->first = FIRST + number * IDBLOCK_COUNT;
			out->lock_fd = take_fd(&fd);
			return 0;
		}
		if (errno != EAGAIN && errno != EACCES)
			return err_sys(e, "lock an id block in %.300s/ids", directory);
	}
	return err_set(e, ERR_UNSUPPORTED, "no block of ids is free: %u of %.300s/ids are locked",
		       TRIES, directory);
}

int idblock_open(struct idblock *out, struct err *e)
{
	if (!idblock_open_in(PRIVATE_DIR_ROOT, out, e))
		return 0;
	if (e->number == EROFS)
		(void)private_dir_check(PRIVATE_DIR_ROOT, e); /* that names the remedy */
	return -1;
}

void idblock_close(struct idblock *b)
{
	own_close(&b->lock_fd);
}
