/*
 * files - put a file into a session's /workspace, and get one out.
 */
#include "cell/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/parse.h"
#include "cell/files_reach.h"

static int open_directory(int dir_fd, const char *name)
{
	return resolve_open(dir_fd, name, O_PATH | O_DIRECTORY, FILES_BENEATH);
}

/* Cut the first name off; what is left begins with the next one. */
static void next_name(const char **rest, char name[FILES_NAME_BYTES_MAX + 1])
{
	size_t length = strcspn(*rest, "/");

	memcpy(name, *rest, length);
	name[length] = '\0';
	*rest += length + 1;
}

/*
 * Go from *dir_fd (replaced) towards the directory that will hold the file. Where one is missing
 * it is made, or, without `make`, that is as far as we go. *rest is what is left of the path: in
 * the end the file's own name.
 */
static int walk(const struct files_reach *r, int *dir_fd, const char **rest, bool make,
		struct err *e)
{
	while (strchr(*rest, '/')) {
		char name[FILES_NAME_BYTES_MAX + 1];
		const char *next = *rest;
		int fd;

		next_name(&next, name);
		fd = open_directory(*dir_fd, name);
		if (fd < 0 && errno == ENOENT) {
			if (!make)
				return 0;
			if (mkdirat(*dir_fd, name, 0755) && errno != EEXIST)
				return files_reach_error(r->path.text, e);
			fd = open_directory(*dir_fd, name);
		}
		if (fd < 0)
			return files_reach_error(r->path.text, e);
		own_close(dir_fd);
		*dir_fd = fd;
		*rest = next;
	}
	return 0;
}

static int fill(const struct files_reach *r, int file, int from_fd, struct err *e)
{
	uint64_t max = r->rules->max_bytes;
	uint64_t done = 0;
	char size[24];

	/* One byte more than allowed shows that there is more. */
	if (files_reach_copy(r, from_fd, "the content", file, r->path.text,
			     max < UINT64_MAX ? max + 1 : max, &done, e))
		return -1;
	if (done > max)
		return err_input(e, "%.300s: its content is larger than %s", r->path.text,
				 format_size(max, size));
	return 0;
}

/* Link the nameless file. Only a rename replaces: then it bears a name of ours for a moment. */
static int give_name(const struct files_reach *r, int file, int dir_fd, const char *name,
		     struct err *e)
{
	struct files_self self = files_reach_self(file);
	struct files_name ours = files_reach_name();
	int bad;

	if (!linkat(AT_FDCWD, self.path, dir_fd, name, AT_SYMLINK_FOLLOW))
		return 0;
	if (errno == EEXIST && files_reach_is_mount(dir_fd, name))
		errno = EXDEV;
	if (errno != EEXIST || linkat(AT_FDCWD, self.path, dir_fd, ours.text, AT_SYMLINK_FOLLOW))
		return files_reach_error(r->path.text, e);
	bad = renameat(dir_fd, ours.text, dir_fd, name);
	if (bad)
		files_reach_error(r->path.text, e);
	/* Also after success: renaming one link of a file over another leaves both. */
	unlinkat(dir_fd, ours.text, 0);
	return bad;
}

static int refuse_directory(const struct files_reach *r, struct err *e)
{
	if (files_reach_named(r, e))
		return -1;
	if (r->path.directory)
		return err_input(e, "%.300s/: the path of a directory, not of a file",
				 r->path.text);
	return 0;
}

int files_put(int root_fd, const char *path, int from_fd, mode_t mode,
	      const struct files_rules *rules, struct err *e)
{
	auto_reach struct files_reach r = {0};
	auto_fd int dir_fd = -1;
	auto_fd int file = -1;
	const char *rest = r.path.text;

	if (files_reach_begin(&r, root_fd, path, rules, e) || refuse_directory(&r, e))
		return -1;
	dir_fd = resolve_open(root_fd, ".", O_PATH | O_DIRECTORY, FILES_BENEATH);
	if (dir_fd < 0)
		return files_reach_error("/workspace", e);
	/* Directories are made only when the content is complete. */
	if (walk(&r, &dir_fd, &rest, false, e))
		return -1;
	file = resolve_open(dir_fd, ".", O_TMPFILE | O_WRONLY, FILES_BENEATH);
	if (file < 0)
		return files_reach_error(r.path.text, e);
	if (fill(&r, file, from_fd, e))
		return -1;
	if (fchmod(file, mode & 0777))
		return files_reach_error(r.path.text, e);
	if (walk(&r, &dir_fd, &rest, true, e))
		return -1;
	return give_name(&r, file, dir_fd, rest, e);
}

/*
 * Look first, then read: opening a fifo or a device acts. The second open is of the very thing that
 * was looked at. Without O_NONBLOCK a lease would hold us for 45 s (fcntl(2), F_SETLEASE).
 */
static int open_file(const struct files_reach *r, struct stat *st, struct err *e)
{
	const char *path = r->path.text;
	auto_fd int seen = resolve_open(r->root_fd, path, O_PATH | O_NOFOLLOW, FILES_BENEATH);
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
	fd = open(files_reach_self(seen).path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		files_reach_error(path, e);
	return fd;
}

int files_get(int root_fd, const char *path, int to_fd, const struct files_rules *rules,
	      struct files_got *got, struct err *e)
{
	auto_reach struct files_reach r = {0};
	auto_fd int file = -1;
	struct stat st;

	*got = (struct files_got){0};
	if (files_reach_begin(&r, root_fd, path, rules, e) || refuse_directory(&r, e))
		return -1;
	file = open_file(&r, &st, e);
	if (file < 0)
		return -1;
	got->size_bytes = (uint64_t)st.st_size;
	got->mode = st.st_mode & 0777;
	got->mtime_s = st.st_mtim.tv_sec;
	if (files_reach_copy(&r, file, r.path.text, to_fd, "the content", got->size_bytes,
			     &got->bytes, e))
		return -1;
	if (fstat(file, &st))
		return files_reach_error(r.path.text, e);
	got->truncated = (uint64_t)st.st_size > got->bytes;
	return 0;
}
