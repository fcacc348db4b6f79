/*
 * files_get - read a file of a session's /workspace.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/own.h"
#include "base/parse.h"
#include "client/files_reach.h"
#include "client/files_work.h"

/*
 * Judge first, then open: opening a fifo or a device acts. The second open is of the very file that
 * was judged. Without O_NONBLOCK a lease would delay us for 45 s (fcntl(2), F_SETLEASE).
 */
static int files_get_open(const struct files_reach *r, struct stat *st, struct err *e)
{
	const char *path = r->path.text;
	auto_fd int seen = resolve_open(r->root_fd, path, O_PATH | O_NOFOLLOW, RESOLVE_NO_WAY_OUT);
	char size[24];
	char max[24];
	int fd;

	if (seen < 0 || fstat(seen, st)) {
		files_reach_error(path, e);
		return -1;
	}
	if (!S_ISREG(st->st_mode))
		return err_input(e, "%.300s: a %s, not a file", path,
				 files_reach_type(st->st_mode));
	if ((uint64_t)st->st_size > r->rules->max_bytes)
		return err_input(e, "%.300s: %s, more than %s", path,
				 format_size((uint64_t)st->st_size, size),
				 format_size(r->rules->max_bytes, max));
	fd = open(fd_path(seen).text, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		files_reach_error(path, e);
	return fd;
}

int files_get(int root_fd, const char *path, int to_fd, const struct files_rules *rules,
	      struct files_got *got, struct err *e)
{
	struct files_reach r = {0};
	auto_fd int file = -1;
	struct stat st;

	*got = (struct files_got){0};
	if (files_reach_begin(&r, root_fd, path, rules, e) || files_reach_names_file(&r, e))
		return -1;
	file = files_get_open(&r, &st, e);
	if (file < 0)
		return -1;
	got->size_bytes = (uint64_t)st.st_size;
	got->mode = st.st_mode & 0777;
	errno = EFBIG;
	if (rules->max_written && got->size_bytes > rules->max_written)
		return err_sys(e, "%.300s", r.path.text);
	if (files_reach_copy(&r, file, r.path.text, to_fd, "the content", got->size_bytes,
			     &got->bytes, e))
		return -1;
	if (fstat(file, &st))
		return files_reach_error(r.path.text, e);
	got->truncated = (uint64_t)st.st_size > got->bytes;
	return 0;
}
