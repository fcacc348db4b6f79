/*
 * watch - tell what changes in a directory, or also below it, until nobody reads that.
 *
 * inotify(7) watches directories, not trees: one that appears is watched when its event is read,
 * and what is in it by then is told as made. So a name may be told twice, and none is missed. When
 * changes have been lost the watching ends with an error: whoever watches has to look anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "inside/sys.h"
#include "mover/files.h"
#include "mover/output.h"
#include "mover/place.h"
#include "mover/reach.h"
#include "mover/said.h"
#include "mover/tar.h"
#include "mover/walk.h"
#include "mover/watched.h"
#include "mover/write.h"

#define WATCH_MASK                                                                                 \
	(IN_CREATE | IN_MOVED_TO | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_ATTRIB |             \
	 IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
#define WATCH_GONE (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)

static const char *watch_dir;  /* the words: below which the path is, */
static const char *watch_from; /* the path */
static bool watch_is_deep;
static int watch_queue; /* of inotify */
static char watch_path[TAR_NAME_MOST + 1];
static unsigned watch_hidden; /* the cookie of what has a hidden name, and is moved from it */

static void watch_tell(enum files_change_kind kind, bool is_directory, size_t length)
{
	const struct files_change change = {
		.kind = kind, .is_directory = is_directory, .path_bytes = (uint16_t)length};

	__builtin_memcpy(output_room(sizeof(change)), &change, sizeof(change));
	output_used(sizeof(change));
	__builtin_memcpy(output_room(length), watch_path, length);
	output_used(length);
}

/* -- what is watched ------------------------------------------------------------------------- */

/* Watch an open directory. Returns its number, or a negative errno. */
static long watch_add(int dir)
{
	long number = sys1(__NR_fchdir, dir);

	if (number >= 0)
		number = sys3(__NR_inotify_add_watch, watch_queue, ".", WATCH_MASK);
	(void)sys1(__NR_chdir, "/"); /* the end of a directory is told when nobody is in it */
	return number;
}

/* Watch a directory below an open one, and enter it. Returns 0 or a negative errno. */
static long watch_enter(int dir, unsigned above, const char *name)
{
	const long fd = sys_openat(dir, name, WALK_FLAGS, 0);
	const long number = fd < 0 ? fd : watch_add((int)fd);
	unsigned slot = WATCHED_NONE;

	if (number >= 0)
		slot = watched_add((int)number, above, name);
	if (number >= 0 && slot == WATCHED_NONE)
		said_wrong(NULL, FILES_TOO_MANY);
	if (slot != WATCHED_NONE)
		(void)walk_enter((int)fd, slot);
	else if (fd >= 0)
		sys_close((int)fd);
	return number < 0 ? number : 0;
}

/* The same below the first one: of what is gone by now the directory above tells. */
static void watch_enter_below(int dir, unsigned above, const char *name)
{
	long n = 0;

	if (walk_is_full())
		said_wrong(NULL, FILES_TOO_MANY);
	else
		n = watch_enter(dir, above, name);
	if (n == -EMFILE || n == -ENFILE) /* of descriptors: those on the way are open */
		said_wrong(NULL, FILES_TOO_MANY);
	else if (n < 0 && n != -EACCES && n != -ENOENT && n != -ENOTDIR && n != -ELOOP)
		said_error(NULL, n);
}

/* Watch all below what has been entered; with `tells` each entry is told as made. */
static void watch_walk(bool tells)
{
	const struct walk_level *level;

	while ((level = walk_top()) && !said.wrong) {
		const unsigned slot = (unsigned)level->length;
		struct stat st = {0};
		unsigned char type;
		long error;
		const char *name = walk_next(&type, &error);
		size_t length = name ? watched_path(slot, name, watch_path) : 0;
		bool is_directory;

		if (!name) {
			walk_leave();
			continue;
		}
		if (!length)
			said_wrong(NULL, FILES_TOO_MANY);
		if (sys4(__NR_newfstatat, level->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		is_directory = S_ISDIR(st.st_mode);
		if (tells && length)
			watch_tell(FILES_CREATED, is_directory, length);
		if (tells && length && S_ISREG(st.st_mode) && st.st_size)
			watch_tell(FILES_WRITTEN, false, length);
		if (is_directory && length && !place_is_mount(level->fd, name))
			watch_enter_below(level->fd, slot, name);
	}
}

/* Look at the path of the words with what is behind it. The caller closes r->dir, if it is open. */
static long watch_reach(struct reach *r, const char *rest, size_t length, struct stat *st)
{
	static char path[2 * TAR_NAME_MOST + 2];
	size_t at = 0;

	for (; at < TAR_NAME_MOST && watch_from[at]; at++)
		path[at] = watch_from[at];
	path[at++] = '/';
	for (size_t i = 0; i < length; i++)
		path[at++] = rest[i];
	path[at] = '\0';
	return reach_look(r, watch_dir, path, st);
}

/* A directory has appeared, whose path is watch_path. */
static void watch_descend(unsigned above, const char *name, size_t length)
{
	struct reach r;
	struct stat st = {0};

	if (watch_reach(&r, watch_path, length, &st) >= 0 && !place_is_mount(r.dir, r.rest)) {
		watch_enter_below(r.dir, above, name);
		watch_walk(true);
	}
	if (r.dir >= 0)
		sys_close(r.dir);
}

/* -- events ---------------------------------------------------------------------------------- */

static enum files_change_kind watch_kind(unsigned mask)
{
	if (mask & (IN_DELETE | IN_DELETE_SELF | IN_UNMOUNT))
		return FILES_REMOVED;
	if (mask & (IN_MOVED_FROM | IN_MOVE_SELF))
		return FILES_MOVED;
	/* A time alone is that of a directory's content. */
	return mask & IN_MODIFY && !(mask & IN_ISDIR) ? FILES_WRITTEN : FILES_MODE;
}

/* A change of a directory itself: only of the first one, as those above tell of the others. */
static void watch_take_own(unsigned slot, unsigned mask)
{
	if (mask & IN_IGNORED)
		watched_forget(slot, watch_queue);
	else if (slot == WATCHED_FIRST)
		watch_tell(watch_kind(mask), true, 0);
	if (slot == WATCHED_FIRST && mask & WATCH_GONE)
		said_error(NULL, -ENOENT);
}

/* Look at the entry whose path is watch_path. false: there is none now. */
static bool watch_look(size_t length, struct stat *st)
{
	struct reach r;
	const bool is_there = watch_reach(&r, watch_path, length, st) >= 0;

	if (r.dir >= 0)
		sys_close(r.dir);
	return is_there;
}

/*
 * The kernel tells of a file without a name (O_TMPFILE) by one that it makes up, "#" and its
 * number; and what `write` replaces has another name for a moment (mover/write.c).
 */
static bool watch_is_hidden(const struct inotify_event *event, size_t length)
{
	static const char ours[] = WRITE_HIDDEN;
	struct stat st = {0};
	size_t at = 0;

	while (ours[at] && ours[at] == event->name[at])
		at++;
	return !ours[at] || (event->name[0] == '#' && event->mask & (IN_MODIFY | IN_ATTRIB) &&
			     !watch_look(length, &st));
}

/*
 * A file that appears with a content has been written without a name, if it was not moved to there
 * from a name that was told of.
 */
static void watch_take_new(unsigned slot, const struct inotify_event *event, size_t length)
{
	const bool is_directory = event->mask & IN_ISDIR;
	struct stat st = {0};

	watch_tell(FILES_CREATED, is_directory, length);
	if (is_directory && watch_is_deep)
		watch_descend(slot, event->name, length);
	else if (!is_directory &&
		 (event->mask & IN_CREATE || (event->cookie && event->cookie == watch_hidden)) &&
		 watch_look(length, &st) && S_ISREG(st.st_mode) && st.st_size)
		watch_tell(FILES_WRITTEN, false, length);
}

static void watch_take_entry(unsigned slot, const struct inotify_event *event)
{
	const bool is_directory = event->mask & IN_ISDIR;
	const size_t length = watched_path(slot, event->name, watch_path);

	if (!length) {
		said_wrong(NULL, FILES_TOO_MANY);
	} else if (event->mask & (IN_CREATE | IN_MOVED_TO)) {
		if (!watch_is_hidden(event, length))
			watch_take_new(slot, event, length);
	} else if (watch_is_hidden(event, length)) {
		watch_hidden = event->cookie ? event->cookie : watch_hidden;
	} else {
		watch_tell(watch_kind(event->mask), is_directory, length);
		if (watch_is_deep && is_directory && event->mask & (IN_DELETE | IN_MOVED_FROM))
			watched_forget(watched_child(slot, event->name), watch_queue);
	}
}

static void watch_take(const struct inotify_event *event)
{
	const unsigned slot = watched_find(event->wd);

	if (event->mask & IN_Q_OVERFLOW)
		said_wrong(NULL, FILES_LOST);
	else if (slot != WATCHED_NONE && event->len)
		watch_take_entry(slot, event);
	else if (slot != WATCHED_NONE)
		watch_take_own(slot, event->mask);
}

static void watch_read(void)
{
	static _Alignas(struct inotify_event) unsigned char bytes[64 << 10];
	long n = sys_read(watch_queue, bytes, sizeof(bytes));

	for (long at = 0; at < n && !said.wrong;) {
		const struct inotify_event *event = (const void *)(bytes + at);

		watch_take(event);
		at += (long)(sizeof(*event) + event->len);
	}
	output_flush();
}

/* Until the directory is gone, changes are lost, or nobody reads what is told. */
static void watch_wait(void)
{
	struct pollfd ready[] = {
		{.fd = watch_queue, .events = POLLIN},
                {.fd = 1                }
        };

	while (!said.wrong) {
		const long n = sys5(__NR_ppoll, ready, 2, NULL, NULL, 0);

		if (n < 0 && n != -EINTR)
			said_error(NULL, n);
		if (n <= 0)
			continue;
		if (ready[1].revents)
			return;
		watch_read();
	}
}

static void watch_begin(void)
{
	struct reach r;
	struct stat st = {0};
	long n = watch_reach(&r, "", 0, &st);

	said.mode = st.st_mode;
	if (n >= 0 && !S_ISDIR(st.st_mode))
		said_wrong(NULL, FILES_NOT_WANTED);
	else if (n >= 0)
		n = watch_enter(r.dir, WATCHED_FIRST, r.rest);
	if (n < 0)
		said_error(NULL, n);
	if (r.dir >= 0)
		sys_close(r.dir);
	if (watch_is_deep)
		watch_walk(false);
	else if (walk_top())
		walk_leave();
}

void watch_run(char **words)
{
	long n = sys1(__NR_inotify_init1, IN_CLOEXEC);

	watch_dir = words[0];
	watch_from = words[1];
	watch_is_deep = files_number(words[2], 10);
	watch_queue = (int)n;
	if (n < 0)
		said_error(NULL, n);
	else
		watch_begin();
	if (said.wrong)
		return;
	watch_tell(FILES_WATCHED, true, 0);
	output_flush();
	watch_wait();
}
