/*
 * usage - measure the disk use of images, and enforce the store owner's limit: STORE/quota.
 */
#include "usage.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/own.h"
#include "base/parse.h"
#include "fs/walk.h"
#include "size.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define FILE_NAME "quota"

/* @bytes: gets its share of the entry's blocks. Returns whether it is a directory. */
static bool usage_of_entry(const struct walk *w, uint64_t *bytes)
{
	struct stat st;

	if (fstatat(w->dir_fd, w->name, &st, AT_SYMLINK_NOFOLLOW))
		return false;
	*bytes += (uint64_t)st.st_blocks * 512 / (S_ISDIR(st.st_mode) ? 1 : st.st_nlink);
	return S_ISDIR(st.st_mode);
}

int usage_add_tree(int dir_fd, const char *name, uint64_t *bytes, struct err *e)
{
	auto_walk struct walk w = {.room = SIZE_MAX};
	auto_fd int fd = openat(dir_fd, name, DIRECTORY);

	if (fd < 0 || walk_begin(&w, fd, -1, ""))
		return err_sys(e, "read %s", name);
	while (walk_next(&w) > 0) {
		if (usage_of_entry(&w, bytes) && walk_enter(&w, walk_open(&w), -1))
			return err_sys(e, "read %s/%s", name, w.path);
	}
	return 0;
}

int usage_add(const struct store *s, const struct list *ids, uint64_t *bytes, struct err *e)
{
	for (size_t i = 0; i < ids->count; i++) {
		auto_free char *path = own_printf("trees/%s", ids->items[i]);

		if (usage_add_tree(s->fd, path, bytes, e))
			return -1;
	}
	return 0;
}

int usage_quota(const struct store *s, uint64_t *bytes, struct err *e)
{
	auto_buf struct buf text = {0};

	*bytes = USAGE_UNLIMITED;
	if (io_read_file(s->fd, FILE_NAME, 64, &text, e))
		return e->kind == ERR_SYSTEM && e->number == ENOENT ? 0 : -1;
	if (parse_size(buf_string(&text), 1, INT64_MAX, bytes, e))
		return err_prefix(e, "%s/" FILE_NAME, s->path);
	return 0;
}

int usage_set_quota(const struct store *s, uint64_t bytes, struct err *e)
{
	auto_fd int fd = -1;
	char text[24];

	if (bytes == USAGE_UNLIMITED)
		return unlinkat(s->fd, FILE_NAME, 0) && errno != ENOENT
			       ? err_sys(e, "remove %s/" FILE_NAME, s->path)
			       : 0;
	fd = openat(s->tmp_fd, ".quota", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		    0644);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
	if (fd < 0 || io_write_all(fd, text, strlen(text)) ||
	    renameat(s->tmp_fd, ".quota", s->fd, FILE_NAME))
		return err_sys(e, "write %s/" FILE_NAME, s->path);
	return 0;
}

int usage_check(const struct store *s, int dir_fd, const char *name, const char *id, struct err *e)
{
	auto_free char *path = own_printf("trees/%s", id);
	auto_list struct list ids = {0};
	uint64_t bytes = 0;
	uint64_t most;
	char sizes[2][24];

	if (usage_quota(s, &most, e))
		return -1;
	if (most == USAGE_UNLIMITED || !faccessat(s->fd, path, F_OK, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (store_trees(s, &ids, &ids, e) || usage_add(s, &ids, &bytes, e) ||
	    usage_add_tree(dir_fd, name, &bytes, e))
		return -1;
	return bytes <= most
		       ? 0
		       : err_set(e, ERR_LIMIT,
				 "the images in %s would take %s, and its quota is %s: "
				 "\"glovebox image df\" says what could go",
				 s->path, size_text(bytes, sizes[0]), size_text(most, sizes[1]));
}
