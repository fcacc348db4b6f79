/*
 * files_list - list everything below a directory of a session's /workspace, as JSON.
 *
 * Each directory is postponed until all nearer ones are listed, which takes one descriptor at any
 * depth. Only listed entries are postponed, so the listing's bound also bounds our memory.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/walk.h"
#include "client/files_reach.h"
#include "client/files_work.h"

struct listing {
	const struct files_reach *r;
	struct walk walk;
	struct buf *json;
	size_t begin; /* where the array begins in json */
	struct files_listed *out;
	bool full; /* reached a bound other than depth */
};

static void files_list_stop(struct listing *l)
{
	l->full = true;
	l->out->truncated = true;
}

static void files_list_add_target(struct buf *b, int dir_fd, const char *name)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir_fd, name, target, sizeof(target) - 1);

	if (n < 0)
		return; /* replaced meanwhile */
	target[n] = '\0';
	json_put_name(b, "target", target);
}

/*
 * Add `name` in dir_fd; "": dir_fd itself, opened with O_PATH. Returns whether to enter it as a
 * directory.
 */
static bool files_list_add_entry(struct listing *l, int dir_fd, const char *name, const char *path)
{
	size_t before = l->json->length;
	char mode[8];
	struct stat st;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return false; /* gone meanwhile */
	snprintf(mode, sizeof(mode), "%04o", st.st_mode & 07777);
	json_put_begin(l->json, NULL, '{');
	json_put_name(l->json, "path", path);
	json_put_text(l->json, "type", files_reach_type(st.st_mode));
	json_put_int(l->json, "size", st.st_size);
	json_put_int(l->json, "allocated", (int64_t)st.st_blocks * 512);
	json_put_text(l->json, "mode", mode);
	json_put_int(l->json, "mtime", st.st_mtim.tv_sec);
	if (S_ISLNK(st.st_mode))
		files_list_add_target(l->json, dir_fd, name);
	json_put_end(l->json, '}');
	if (l->json->length - l->begin + 1 > l->r->rules->max_list_bytes) {
		buf_cut(l->json, before);
		files_list_stop(l);
		return false;
	}
	l->out->entries++;
	return S_ISDIR(st.st_mode) && !resolve_is_mount(dir_fd, name);
}

static int files_list_could_not(struct listing *l, struct err *e)
{
	if (errno == EACCES || errno == EPERM) {
		l->out->unread++;
		return 0;
	}
	if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
		return 0; /* gone, or replaced */
	return files_reach_error(*l->r->path.text ? l->r->path.text : "/workspace", e);
}

/* Start with the requested directory, which must exist, or with the file in its place. */
static int files_list_begin(struct listing *l, struct err *e)
{
	const char *path = l->r->path.text;
	auto_fd int fd = resolve_open(l->r->root_fd, *path ? path : ".", O_PATH | O_NOFOLLOW,
				      RESOLVE_NO_WAY_OUT);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return files_reach_error(*path ? path : "/workspace", e);
	if (S_ISDIR(st.st_mode))
		return walk_begin(&l->walk, fd, -1, path) ? files_list_could_not(l, e) : 0;
	if (l->r->path.directory)
		return err_input(e, "%.300s/: a %s, not a directory", path,
				 files_reach_type(st.st_mode));
	files_list_add_entry(l, fd, "", path);
	return 0;
}

static void files_list_here(struct listing *l)
{
	struct walk *w = &l->walk;

	if (!files_list_add_entry(l, w->dir_fd, w->name, w->path))
		return;
	if (w->depth < l->r->rules->max_depth)
		walk_put_off(w);
	else
		l->out->truncated = true;
}

static int files_list_all(struct listing *l, struct err *e)
{
	int more;

	if (files_list_begin(l, e))
		return -1;
	while (!l->full && (more = walk_next(&l->walk))) {
		if (files_reach_late(l->r))
			files_list_stop(l);
		else if (more > 0)
			files_list_here(l);
		else if (files_list_could_not(l, e))
			return -1;
	}
	l->out->truncated |= l->walk.cut;
	return 0;
}

int files_list(int root_fd, const char *path, const struct files_rules *rules, struct buf *json,
	       struct files_listed *listed, struct err *e)
{
	struct files_reach r = {0};
	struct listing l = {.r = &r,
			    .walk = {.room = rules->max_entries},
			    .json = json,
			    .begin = json->length,
			    .out = listed};
	int status;

	*listed = (struct files_listed){0};
	if (files_reach_begin(&r, root_fd, path, rules, e))
		return -1;
	buf_text(json, "["); /* start a document of its own, after whatever the buffer holds */
	status = files_list_all(&l, e);
	walk_fini(&l.walk);
	if (status)
		buf_cut(json, l.begin);
	else
		json_put_end(json, ']');
	return status;
}
