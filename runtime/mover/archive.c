/*
 * archive - a tar of all that is below a directory.
 *
 * Links come last, in a second walk: a program that extracts cannot write through one, even if the
 * sandbox changes its names meanwhile. Each name of a file is a file of its own.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

#include "inside/sys.h"
#include "mover/files.h"
#include "mover/member.h"
#include "mover/output.h"
#include "mover/place.h"
#include "mover/reach.h"
#include "mover/said.h"
#include "mover/walk.h"

static unsigned long long archive_most; /* bytes of files, still */
static unsigned long long archive_entries;
static bool archive_links; /* in the second walk */

/* Unreadable names count, in the first walk; those that are gone do not. */
static void archive_could_not(long error)
{
	if (error == -ENOENT || error == -ENOTDIR || error == -ELOOP || error == -ESTALE)
		return;
	if (error == -EACCES || error == -EPERM || error == -ENAMETOOLONG || error == -EAGAIN)
		said.unread += !archive_links;
	else
		said_error(member_entry.name, error);
}

static void archive_file(int dir, const char *name)
{
	struct stat st = {0};
	long fd = member_open(dir, name, S_IFREG, &st);
	long error;

	if (fd < 0) {
		archive_could_not(fd);
		return;
	}
	if ((uint64_t)st.st_size > archive_most) {
		said_wrong(member_entry.name, FILES_TOO_LARGE);
	} else {
		archive_most -= (uint64_t)st.st_size;
		member_header(TAR_FILE, &st);
		(void)output_file((int)fd, st.st_size, &error);
		if (error < 0)
			said_error(member_entry.name, error);
	}
	sys_close((int)fd);
}

static void archive_link(int dir, const char *name, const struct stat *st)
{
	long n = sys4(__NR_readlinkat, dir, name, member_entry.link, TAR_NAME_MOST);

	if (n < 0) {
		archive_could_not(n);
		return;
	}
	member_entry.link[n] = '\0';
	member_header(TAR_LINK, st);
}

static void archive_enter(int dir, const char *name, size_t length)
{
	long fd = -ENAMETOOLONG;

	if (!walk_is_full())
		fd = sys_openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0)
		archive_could_not(fd);
	else
		(void)walk_enter((int)fd, length);
}

static void archive_directory(int dir, const char *name, size_t length, const struct stat *st)
{
	if (place_is_mount(dir, name)) {
		archive_could_not(-EPERM);
		return;
	}
	if (!archive_links)
		member_header(TAR_DIRECTORY, st);
	archive_enter(dir, name, length);
}

static void archive_name(int dir, const char *name, size_t length)
{
	struct stat st = {0};
	long n = sys4(__NR_newfstatat, dir, name, &st, AT_SYMLINK_NOFOLLOW);

	if (n < 0)
		archive_could_not(n);
	else if (!archive_links && said.entries++ >= archive_entries)
		said_wrong(NULL, FILES_TOO_MANY);
	else if (S_ISDIR(st.st_mode))
		archive_directory(dir, name, length, &st);
	else if (S_ISLNK(st.st_mode) && archive_links)
		archive_link(dir, name, &st);
	else if (S_ISREG(st.st_mode) && !archive_links)
		archive_file(dir, name);
	else if (!S_ISLNK(st.st_mode) && !S_ISREG(st.st_mode))
		archive_could_not(-EPERM); /* a FIFO, a socket or a device has no content */
}

static void archive_walk(void)
{
	const struct walk_level *level;

	while ((level = walk_top()) && !said.wrong) {
		unsigned char type;
		long error;
		const char *name = walk_next(&type, &error);
		size_t length = name ? walk_append(member_entry.name, level->length, name) : 0;

		if (length) {
			archive_name(level->fd, name, length);
			continue;
		}
		member_entry.name[level->length] = '\0';
		if (name)
			archive_could_not(-ENAMETOOLONG);
		else if (error)
			archive_could_not(error);
		if (!name)
			walk_leave();
	}
}

void archive_run(char **words)
{
	struct reach r;
	struct stat st = {0};
	long n = reach_look(&r, words[0], words[1], &st);
	size_t length = 0;

	archive_most = files_number(words[2], 10);
	archive_entries = files_number(words[3], 10);
	if (n >= 0 && !S_ISDIR(st.st_mode))
		n = -ENOTDIR;
	if (n < 0)
		said_error(NULL, n);
	for (; words[1][length]; length++)
		member_entry.name[length] = words[1][length];
	for (int turn = 0; !said.wrong && turn < 2; turn++) {
		archive_links = turn > 0;
		archive_enter(r.dir, r.rest, length);
		archive_walk();
	}
	if (!said.wrong)
		output_end();
}
