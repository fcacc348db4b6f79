/*
 * list - the entries below a directory, level by level.
 *
 * Each level is a walk of its own through those above it, so that neither memory nor descriptors
 * depend on how many there are. The client sorts each level.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

#include "inside/sys.h"
#include "mover/files.h"
#include "mover/output.h"
#include "mover/place.h"
#include "mover/reach.h"
#include "mover/said.h"
#include "mover/tar.h"
#include "mover/walk.h"

static char list_path[TAR_NAME_MOST + 1];
static unsigned long long list_most;
static unsigned list_level; /* the one that is written, from 1 */
static unsigned list_depth; /* of the deepest directory that is open */
static bool list_goes_on;   /* there are directories at that level */
static bool list_is_full;

static void list_bytes(const void *bytes, size_t size)
{
	__builtin_memcpy(output_room(size), bytes, size);
	output_used(size);
}

/* Write one entry, whose path is list_path. Returns its mode; 0: it is gone. */
static mode_t list_entry(int dir, const char *name, size_t length)
{
	static char target[TAR_NAME_MOST + 1];
	struct files_entry entry = {.path_bytes = (uint16_t)length};
	struct stat st = {0};
	long n = sys4(__NR_newfstatat, dir, name, &st, AT_SYMLINK_NOFOLLOW);

	if (n < 0)
		return 0;
	if (S_ISLNK(st.st_mode)) {
		n = sys4(__NR_readlinkat, dir, name, target, sizeof(target));
		entry.target_bytes = n < 0 ? 0 : (uint16_t)n;
	}
	entry.size = (uint64_t)st.st_size;
	entry.allocated = (uint64_t)st.st_blocks * 512;
	entry.mtime = st.st_mtim.tv_sec;
	entry.mode = st.st_mode;
	list_bytes(&entry, sizeof(entry));
	list_bytes(list_path, length);
	list_bytes(target, entry.target_bytes);
	said.entries++;
	return st.st_mode;
}

/* A directory that cannot be read counts once; one that is gone does not. */
static void list_could_not(long error)
{
	if (error == -EACCES || error == -EPERM)
		said.unread += list_depth + 1 == list_level;
	else if (error != -ENOENT && error != -ENOTDIR && error != -ELOOP)
		said_error(list_path, error);
}

static void list_enter(int dir, const char *name, size_t length)
{
	long fd = walk_is_full() ? -EMFILE : sys_openat(dir, name, WALK_FLAGS, 0);

	if (fd < 0) {
		list_could_not(fd);
		return;
	}
	(void)walk_enter((int)fd, length);
	list_depth++;
}

static void list_name(const struct walk_level *level, const char *name, unsigned char type)
{
	size_t length = walk_append(list_path, level->length, name);
	bool is_directory = type == DT_DIR || type == DT_UNKNOWN;

	if (!length) {
		said.is_cut = 1;
	} else if (list_depth == list_level) {
		list_is_full = said.entries == list_most;
		is_directory = !list_is_full && S_ISDIR(list_entry(level->fd, name, length));
		list_goes_on |= is_directory && !place_is_mount(level->fd, name);
	} else if (is_directory && !place_is_mount(level->fd, name)) {
		list_enter(level->fd, name, length);
	}
}

static void list_walk(void)
{
	const struct walk_level *level;

	while ((level = walk_top()) && !said.wrong) {
		unsigned char type = DT_UNKNOWN;
		long error;
		const char *name = walk_next(&type, &error);

		list_path[level->length] = '\0';
		if (name && !list_is_full) {
			list_name(level, name, type);
			continue;
		}
		if (error)
			list_could_not(error);
		walk_leave();
		list_depth--;
	}
}

static void list_levels(const struct reach *r, size_t length, unsigned long long depth)
{
	do {
		list_level++;
		list_goes_on = false;
		list_enter(r->dir, r->rest, length);
		list_walk();
	} while (list_goes_on && list_level < depth && !list_is_full && !said.wrong);
	said.is_cut |= list_goes_on || list_is_full;
}

void list_run(char **words)
{
	struct reach r;
	struct stat st = {0};
	long n = reach_look(&r, words[0], words[1], &st);
	size_t length = 0;

	list_most = files_number(words[3], 10);
	if (n < 0) {
		said_error(NULL, n);
		return;
	}
	for (; words[1][length]; length++)
		list_path[length] = words[1][length];
	said.mode = st.st_mode;
	if (S_ISDIR(st.st_mode) && files_number(words[2], 10))
		list_levels(&r, length, files_number(words[2], 10));
	else if (r.wants_directory && !S_ISDIR(st.st_mode))
		said_wrong(NULL, FILES_NOT_WANTED);
	else if (length) /* the directory itself has no name */
		(void)list_entry(r.dir, r.rest, length);
	output_flush();
}
