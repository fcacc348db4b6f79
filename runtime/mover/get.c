/*
 * get - write the tar of a file or a directory to descriptor 1.
 */
#include "mover/get.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "inside/sys.h"
#include "mover/member.h"
#include "mover/note.h"
#include "mover/output.h"
#include "mover/walk.h"

static void get_enter(int dir, const char *last, size_t length)
{
	struct stat st = {0};
	long fd;

	if (walk_is_full()) {
		member_miss("too deep", 0);
		return;
	}
	fd = member_open(dir, last, S_IFDIR, &st);
	if (fd < 0) {
		member_miss("open", fd);
		return;
	}
	member_header(TAR_DIRECTORY, &st);
	(void)walk_enter((int)fd, length);
}

/* @type: of getdents64; DT_UNKNOWN where the file system does not say. */
static void get_member(int dir, const char *last, size_t length, unsigned char type)
{
	struct stat st = {0};

	if (type == DT_UNKNOWN) {
		long error = sys4(__NR_newfstatat, dir, last, &st, AT_SYMLINK_NOFOLLOW);

		if (error < 0) {
			member_miss("look at", error);
			return;
		}
		type = (unsigned char)IFTODT(st.st_mode);
	}
	if (type == DT_REG)
		member_file(dir, last);
	else if (type == DT_DIR)
		get_enter(dir, last, length);
	else if (type == DT_LNK)
		member_link(dir, last);
	else
		member_miss("a device, FIFO or socket", 0);
}

static void get_walk(void)
{
	struct walk_level *level;

	while ((level = walk_top())) {
		unsigned char type = DT_UNKNOWN;
		long error;
		const char *name = walk_next(&type, &error);
		size_t length;

		if (!name) {
			member_entry.name[level->length] = '\0';
			if (error)
				member_miss("read the directory", error);
			walk_leave();
			continue;
		}
		length = walk_append(member_entry.name, level->length, name);
		if (length)
			get_member(level->fd, name, length, type);
		else
			member_miss("a name is too long", 0);
	}
}

const char *get_name(const char *path, size_t *length)
{
	size_t end = sys_strlen(path);
	size_t start;

	while (end && path[end - 1] == '/')
		end--;
	for (start = end; start && path[start - 1] != '/';)
		start--;
	*length = end - start;
	if (*length && !(path[start] == '.' && path[end - 1] == '.' && *length <= 2))
		return path + start;
	*length = 1;
	return ".";
}

void get_run(const char *path, const char *name)
{
	size_t length;
	const char *top = get_name(path, &length);

	if (name) {
		top = name;
		length = sys_strlen(name);
		while (length > 1 && name[length - 1] == '/')
			length--;
	}
	if (!length || length > TAR_NAME_MOST) {
		note_failure("the name is empty or too long", path, 0);
		return;
	}
	for (size_t i = 0; i < length; i++)
		member_entry.name[i] = top[i];
	get_member(AT_FDCWD, path, length, DT_UNKNOWN);
	get_walk();
	if (!member_at_top)
		output_end();
}
