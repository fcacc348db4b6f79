/*
 * write - make or replace one file.
 *
 * Its content goes to a nameless file, which gets its name when it is complete: who reads sees the
 * old file or the new one. Missing directories are made then.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>

#include "inside/sys.h"
#include "mover/files.h"
#include "mover/place.h"
#include "mover/reach.h"
#include "mover/said.h"
#include "mover/write.h"

static unsigned char write_bytes[FILES_CONTENT_MOST];

/* Returns whether all of it came. */
static bool write_take(void *out, size_t size)
{
	unsigned char *at = out;

	while (size) {
		long n = sys_read(0, at, size);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

static bool write_content(int fd)
{
	struct files_piece piece = {0};

	while (write_take(&piece, sizeof(piece)) && piece.bytes <= sizeof(write_bytes)) {
		long n;

		if (!piece.bytes)
			return true;
		if (!write_take(write_bytes, piece.bytes))
			break;
		n = place_write(fd, write_bytes, piece.bytes);
		if (n < 0) {
			said_error(NULL, n);
			return false;
		}
		said.bytes += piece.bytes;
	}
	said_wrong(NULL, FILES_CUT);
	return false;
}

/* ".glovebox-" and 16 digits. */
static void write_hidden_name(char out[32])
{
	static const char digits[] = "0123456789abcdef";
	static const char begin[] = WRITE_HIDDEN;
	unsigned char bytes[8] = {0};
	size_t at = 0;

	(void)sys3(__NR_getrandom, bytes, sizeof(bytes), 0);
	for (; begin[at]; at++)
		out[at] = begin[at];
	for (unsigned i = 0; i < sizeof(bytes); i++) {
		out[at++] = digits[bytes[i] >> 4];
		out[at++] = digits[bytes[i] & 15];
	}
	out[at] = '\0';
}

static long write_link(int fd, int dir, const char *name)
{
	char path[] = "/proc/self/fd/N";

	if (fd > 9) /* it has a few descriptors */
		return -EMFILE;
	path[sizeof(path) - 2] = (char)('0' + fd);
	return sys5(__NR_linkat, AT_FDCWD, path, dir, name, AT_SYMLINK_FOLLOW);
}

/* Only a rename can replace a file: then it first gets a hidden name. */
static long write_name(int fd, int dir, const char *name)
{
	char hidden[32];
	long n = write_link(fd, dir, name);

	if (n != -EEXIST)
		return n;
	if (place_is_mount(dir, name))
		return -EXDEV;
	write_hidden_name(hidden);
	n = write_link(fd, dir, hidden);
	if (n < 0)
		return n;
	n = sys5(__NR_renameat2, dir, hidden, dir, name, 0);
	/* Also after success: renaming one link of a file over another leaves both. */
	(void)sys3(__NR_unlinkat, dir, hidden, 0);
	return n;
}

static long write_file(struct reach *r, unsigned mode)
{
	long fd = sys_openat(r->dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	long n;

	if (fd < 0)
		return fd;
	if (!write_content((int)fd))
		return 0;
	n = sys2(__NR_fchmod, fd, mode);
	if (n >= 0)
		n = reach_walk(r, true);
	return n < 0 ? n : write_name((int)fd, r->dir, r->rest);
}

void write_run(char **words)
{
	struct reach r;
	long n = reach_begin(&r, words[0], words[1]);

	sys1(__NR_umask, 0022);
	if (n >= 0)
		n = reach_walk(&r, false);
	if (n >= 0 || (n == -ENOENT && r.dir >= 0))
		n = write_file(&r, (unsigned)files_number(words[2], 8) & 0777);
	if (n < 0)
		said_error(NULL, n);
}
