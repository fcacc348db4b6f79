/*
 * files_delete - remove an entry of a session's /workspace, with everything below it.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/own.h"
#include "base/remove_tree.h"
#include "client/files_reach.h"
#include "client/files_work.h"

/* Open its parent directory; *name is its name there. */
static int files_delete_open_parent(struct files_reach *r, const char **name)
{
	char *text = r->path.text;
	size_t at = r->path.name;
	int fd;

	*name = text + at;
	if (at)
		text[at - 1] = '\0';
	fd = resolve_open(r->root_fd, at ? text : ".", O_PATH | O_DIRECTORY, RESOLVE_NO_WAY_OUT);
	if (at)
		text[at - 1] = '/';
	return fd;
}

int files_delete(int root_fd, const char *path, bool recursive, const struct files_rules *rules,
		 struct err *e)
{
	struct files_reach r = {0};
	auto_fd int dir_fd = -1;
	const char *name;
	struct stat st;

	if (files_reach_begin(&r, root_fd, path, rules, e) || files_reach_named(&r, e))
		return -1;
	dir_fd = files_delete_open_parent(&r, &name);
	if (dir_fd < 0 || fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return files_reach_error(r.path.text, e);
	if (r.path.directory && !S_ISDIR(st.st_mode))
		return err_input(e, "%.300s/: a %s, not a directory", r.path.text,
				 files_reach_type(st.st_mode));
	if (recursive ? remove_tree(dir_fd, name, r.deadline_ms)
		      : remove_entry(dir_fd, name, r.deadline_ms))
		return errno == ETIMEDOUT ? files_reach_check(&r, e)
					  : files_reach_error(r.path.text, e);
	return 0;
}
