/*
 * usage - how much the files below a path take, without what is mounted there.
 *
 * A file of several names counts once (mover/linked.h says how many of them are remembered).
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "inside/sys.h"
#include "mover/files.h"
#include "mover/linked.h"
#include "mover/place.h"
#include "mover/reach.h"
#include "mover/said.h"
#include "mover/walk.h"

static unsigned long long usage_most;

/* Files with holes can have more bytes than a number holds. */
static void usage_add(uint64_t *sum, uint64_t bytes)
{
	*sum = *sum + bytes < bytes ? UINT64_MAX : *sum + bytes;
}

static void usage_count(const struct stat *st)
{
	said.entries++;
	if (!S_ISDIR(st->st_mode) && st->st_nlink > 1) {
		if (linked_find(st))
			return;
		linked_add(st, "");
	}
	usage_add(&said.bytes, (uint64_t)st->st_blocks * 512);
	if (S_ISREG(st->st_mode))
		usage_add(&said.size, (uint64_t)st->st_size);
}

/* A directory that is gone by now takes nothing. */
static void usage_enter(int dir, const char *name)
{
	long fd = walk_is_full() ? -EMFILE : sys_openat(dir, name, WALK_FLAGS, 0);

	if (fd >= 0)
		(void)walk_enter((int)fd, 0);
	else if (fd != -ENOENT && fd != -ENOTDIR && fd != -ELOOP)
		said.unread++;
}

static void usage_name(int dir, const char *name)
{
	struct stat st = {0};

	if (sys4(__NR_newfstatat, dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    place_is_mount(dir, name))
		return;
	if (said.entries == usage_most) {
		said_wrong(NULL, FILES_TOO_MANY);
		return;
	}
	usage_count(&st);
	if (S_ISDIR(st.st_mode))
		usage_enter(dir, name);
}

static void usage_walk(void)
{
	const struct walk_level *level;

	while ((level = walk_top()) && !said.wrong) {
		unsigned char type;
		long error;
		const char *name = walk_next(&type, &error);

		if (name) {
			usage_name(level->fd, name);
			continue;
		}
		said.unread += error && error != -ENOENT;
		walk_leave();
	}
}

void usage_run(char **words)
{
	struct reach r;
	struct stat st = {0};
	long n = reach_look(&r, words[0], words[1], &st);

	usage_most = files_number(words[2], 10);
	if (n < 0) {
		said_error(NULL, n);
		return;
	}
	said.mode = st.st_mode;
	if (r.wants_directory && !S_ISDIR(st.st_mode)) {
		said_wrong(NULL, FILES_NOT_WANTED);
		return;
	}
	usage_count(&st);
	if (S_ISDIR(st.st_mode))
		usage_enter(r.dir, r.rest);
	usage_walk();
}
