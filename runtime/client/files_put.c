/*
 * files_put - write a file into a session's /workspace.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/own.h"
#include "base/parse.h"
#include "client/files_reach.h"
#include "client/files_work.h"

static int files_put_open_directory(int dir_fd, const char *name)
{
	return resolve_open(dir_fd, name, O_PATH | O_DIRECTORY, RESOLVE_NO_WAY_OUT);
}

/* Cut off the first name; the rest begins with the next one. */
static void files_put_next_name(const char **rest, char name[FILES_NAME_BYTES_MAX + 1])
{
	size_t length = strcspn(*rest, "/");

	memcpy(name, *rest, length);
	name[length] = '\0';
	*rest += length + 1;
}

/*
 * Walk from *dir_fd (replaced) to the directory of the file. Make missing directories, or stop
 * there without `make`. *rest is the rest of the path: in the end the file's own name.
 */
static int files_put_walk(const struct files_reach *r, int *dir_fd, const char **rest, bool make,
			  struct err *e)
{
	while (strchr(*rest, '/')) {
		char name[FILES_NAME_BYTES_MAX + 1];
		const char *next = *rest;
		int fd;

		files_put_next_name(&next, name);
		fd = files_put_open_directory(*dir_fd, name);
		if (fd < 0 && errno == ENOENT) {
			if (!make)
				return 0;
			if (mkdirat(*dir_fd, name, 0755) && errno != EEXIST)
				return files_reach_error(r->path.text, e);
			fd = files_put_open_directory(*dir_fd, name);
		}
		if (fd < 0)
			return files_reach_error(r->path.text, e);
		own_close(dir_fd);
		*dir_fd = fd;
		*rest = next;
	}
	return 0;
}

static int files_put_fill(const struct files_reach *r, int file, int from_fd, struct err *e)
{
	uint64_t max = r->rules->max_bytes;
	uint64_t done = 0;
	char size[24];

	/* One byte more than allowed shows that more follows. */
	if (files_reach_copy(r, from_fd, "the content", file, r->path.text,
			     max < UINT64_MAX && !r->rules->is_cut ? max + 1 : max, &done, e))
		return -1;
	if (done > max)
		return err_input(e, "%.300s: its content is larger than %s", r->path.text,
				 format_size(max, size));
	return 0;
}

/* Link the nameless file. Only a rename can replace a file: then it first gets a temporary name. */
static int files_put_give_name(const struct files_reach *r, int file, int dir_fd, const char *name,
			       struct err *e)
{
	struct fd_path self = fd_path(file);
	struct files_name ours = files_reach_name();
	int bad;

	if (!linkat(AT_FDCWD, self.text, dir_fd, name, AT_SYMLINK_FOLLOW))
		return 0;
	if (errno == EEXIST && resolve_is_mount(dir_fd, name))
		errno = EXDEV;
	if (errno != EEXIST || linkat(AT_FDCWD, self.text, dir_fd, ours.text, AT_SYMLINK_FOLLOW))
		return files_reach_error(r->path.text, e);
	bad = renameat(dir_fd, ours.text, dir_fd, name);
	if (bad)
		files_reach_error(r->path.text, e);
	/* Also after success: renaming one link of a file over another leaves both. */
	unlinkat(dir_fd, ours.text, 0);
	return bad;
}

int files_put(int root_fd, const char *path, int from_fd, mode_t mode,
	      const struct files_rules *rules, struct err *e)
{
	struct files_reach r = {0};
	auto_fd int dir_fd = -1;
	auto_fd int file = -1;
	const char *rest = r.path.text;

	if (files_reach_begin(&r, root_fd, path, rules, e) || files_reach_names_file(&r, e))
		return -1;
	dir_fd = resolve_open(root_fd, ".", O_PATH | O_DIRECTORY, RESOLVE_NO_WAY_OUT);
	if (dir_fd < 0)
		return files_reach_error("/workspace", e);
	/* Make directories only when the content is complete. */
	if (files_put_walk(&r, &dir_fd, &rest, false, e))
		return -1;
	file = resolve_open(dir_fd, ".", O_TMPFILE | O_WRONLY, RESOLVE_NO_WAY_OUT);
	if (file < 0)
		return files_reach_error(r.path.text, e);
	if (files_put_fill(&r, file, from_fd, e))
		return -1;
	/* The rest is fast: check the time limit now, so that a late child leaves nothing. */
	if (files_reach_check(&r, e))
		return -1;
	if (fchmod(file, mode & 0777))
		return files_reach_error(r.path.text, e);
	if (files_put_walk(&r, &dir_fd, &rest, true, e))
		return -1;
	return files_put_give_name(&r, file, dir_fd, rest, e);
}
