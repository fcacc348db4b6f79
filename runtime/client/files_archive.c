/*
 * files_archive - write everything below a directory of a session's /workspace as a tar archive.
 *
 * Links come last, in a second walk: an extracting program cannot write through one, even if the
 * sandbox changes its names meanwhile.
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd_path.h"
#include "base/own.h"
#include "base/parse.h"
#include "base/walk.h"
#include "client/files_reach.h"
#include "client/files_work.h"
#include "client/ustar.h"

#define ARCHIVE "the archive"

struct archive {
	const struct files_reach *r;
	int to_fd;        /* borrowed */
	uint64_t content; /* bytes of files so far */
	bool links;       /* in the second walk */
	struct files_got *got;
	struct files_listed *listed;
};

static int files_archive_write(struct archive *a, const void *bytes, size_t length, struct err *e)
{
	if (files_reach_write(a->to_fd, ARCHIVE, bytes, length, e))
		return -1;
	a->got->bytes += length;
	return 0;
}

static int files_archive_head(struct archive *a, const struct ustar_entry *entry, struct err *e)
{
	auto_buf struct buf head = {0};

	ustar_put(entry, &head);
	a->listed->entries++;
	return files_archive_write(a, head.data, head.length, e);
}

static int files_archive_zeros(struct archive *a, uint64_t count, struct err *e)
{
	static const char zeros[65536];

	while (count) {
		const size_t piece = count < sizeof(zeros) ? (size_t)count : sizeof(zeros);

		if (files_reach_check(a->r, e) || files_archive_write(a, zeros, piece, e))
			return -1;
		count -= piece;
	}
	return 0;
}

/*
 * Skip and count an unreadable entry; skip one that has vanished. Returns 0, or -1 with *e for
 * other errors.
 */
static int files_archive_could_not(struct archive *a, const char *path, struct err *e)
{
	if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
		return 0;
	if (errno != EACCES && errno != EPERM && errno != ENAMETOOLONG && errno != EAGAIN)
		return files_reach_error(*path ? path : "/workspace", e);
	a->listed->unread++;
	return 0;
}

static struct ustar_entry files_archive_entry(enum ustar_type type, const char *path,
					      const struct stat *st)
{
	return (struct ustar_entry){
		.type = type, .path = path, .mode = st->st_mode, .mtime_s = st->st_mtim.tv_sec};
}

/* The header has the present size: pad a file that shrinks, cut one that grows. */
static int files_archive_content(struct archive *a, int file, const char *path,
				 const struct stat *st, struct err *e)
{
	struct ustar_entry entry = files_archive_entry(USTAR_FILE, path, st);
	uint64_t done = 0;
	char max[24];

	entry.size = (uint64_t)st->st_size;
	if (entry.size > a->r->rules->max_bytes - a->content)
		return err_input(e,
				 "%.300s: with it the files have more than %s, with holes as bytes",
				 path, format_size(a->r->rules->max_bytes, max));
	a->content += entry.size;
	if (files_archive_head(a, &entry, e) ||
	    files_reach_copy(a->r, file, path, a->to_fd, ARCHIVE, entry.size, &done, e))
		return -1;
	a->got->bytes += done;
	return files_archive_zeros(a, entry.size - done + ustar_padding(entry.size), e);
}

/* Open it as files_get() does: read the very file that was judged, without waiting for a lease. */
static int files_archive_file(struct archive *a, const struct walk *w, struct err *e)
{
	auto_fd int seen = openat(w->dir_fd, w->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	auto_fd int file = -1;
	struct stat st;

	if (seen < 0 || fstat(seen, &st))
		return files_archive_could_not(a, w->path, e);
	if (!S_ISREG(st.st_mode))
		return 0; /* replaced meanwhile */
	file = open(fd_path(seen).text, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return file < 0 ? files_archive_could_not(a, w->path, e)
			: files_archive_content(a, file, w->path, &st, e);
}

static int files_archive_link(struct archive *a, const struct walk *w, const struct stat *st,
			      struct err *e)
{
	struct ustar_entry entry = files_archive_entry(USTAR_LINK, w->path, st);
	char target[PATH_MAX];
	ssize_t n = readlinkat(w->dir_fd, w->name, target, sizeof(target) - 1);

	if (n < 0)
		return files_archive_could_not(a, w->path, e);
	target[n] = '\0';
	entry.target = target;
	return files_archive_head(a, &entry, e);
}

static int files_archive_directory(struct archive *a, struct walk *w, const struct stat *st,
				   struct err *e)
{
	const struct ustar_entry entry = files_archive_entry(USTAR_DIRECTORY, w->path, st);

	if (resolve_is_mount(w->dir_fd, w->name)) {
		a->listed->unread += !a->links;
		return 0;
	}
	if (!a->links && files_archive_head(a, &entry, e))
		return -1;
	walk_put_off(w);
	return 0;
}

static int files_archive_here(struct archive *a, struct walk *w, struct err *e)
{
	struct stat st;

	if (fstatat(w->dir_fd, w->name, &st, AT_SYMLINK_NOFOLLOW))
		return files_archive_could_not(a, w->path, e);
	if (S_ISDIR(st.st_mode))
		return files_archive_directory(a, w, &st, e);
	if (S_ISLNK(st.st_mode))
		return a->links ? files_archive_link(a, w, &st, e) : 0;
	if (a->links)
		return 0;
	if (S_ISREG(st.st_mode))
		return files_archive_file(a, w, e);
	a->listed->unread++; /* a fifo, a socket or a device has no content */
	return 0;
}

/* The first walk has counted unreadable entries. */
static int files_archive_walk(struct archive *a, int fd, struct err *e)
{
	auto_walk struct walk w = {.room = a->r->rules->max_entries};
	const uint32_t unread = a->listed->unread;
	int more;

	if (walk_begin(&w, fd, -1, a->r->path.text))
		return files_archive_could_not(a, a->r->path.text, e);
	while ((more = walk_next(&w))) {
		if (files_reach_check(a->r, e) ||
		    (more > 0 ? files_archive_here(a, &w, e)
			      : files_archive_could_not(a, w.path, e)))
			return -1;
	}
	if (a->links)
		a->listed->unread = unread;
	return w.cut ? err_input(e, "there are more than %u names", a->r->rules->max_entries) : 0;
}

static int files_archive_all(struct archive *a, struct err *e)
{
	const char *path = a->r->path.text;
	auto_fd int fd = resolve_open(a->r->root_fd, *path ? path : ".",
				      O_PATH | O_NOFOLLOW | O_DIRECTORY, RESOLVE_NO_WAY_OUT);
	auto_buf struct buf end = {0};

	if (fd < 0)
		return files_reach_error(*path ? path : "/workspace", e);
	for (int turn = 0; turn < 2; turn++) {
		a->links = turn > 0;
		if (files_archive_walk(a, fd, e))
			return -1;
	}
	ustar_put_end(&end);
	return files_archive_write(a, end.data, end.length, e);
}

int files_archive(int root_fd, const char *path, int to_fd, const struct files_rules *rules,
		  struct files_got *got, struct files_listed *listed, struct err *e)
{
	struct files_reach r = {0};
	struct archive a = {.r = &r, .to_fd = to_fd, .got = got, .listed = listed};

	*got = (struct files_got){0};
	*listed = (struct files_listed){0};
	if (files_reach_begin(&r, root_fd, path, rules, e))
		return -1;
	return files_archive_all(&a, e);
}
