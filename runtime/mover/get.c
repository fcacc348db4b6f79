/*
 * get - write the tar of a file or a directory to descriptor 1.
 */
#include "mover/get.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "inside/sys.h"
#include "mover/linked.h"
#include "mover/note.h"
#include "mover/output.h"
#include "mover/tar_write.h"

#define GET_FLAGS (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* As getdents64(2) writes it. */
struct get_dirent {
	unsigned long long unused[2]; /* inode, offset */
	unsigned short size;
	unsigned char type;
	char name[];
};

static struct get_level {
	int fd;
	size_t length; /* of the directory's name in get_entry */
	long at;       /* in bytes */
	long end;
	_Alignas(struct get_dirent) unsigned char bytes[8192];
} get_levels[GET_DEPTH];
static unsigned get_depth;
static bool get_at_top = true; /* nothing is written yet: what fails is not left out */
static struct tar_entry get_entry;

static void get_miss(const char *text, long error)
{
	if (get_at_top)
		note_failure(text, get_entry.name, error);
	else
		note_left_out(text, get_entry.name, error);
}

static void get_header(enum tar_kind kind, const struct stat *st)
{
	get_entry.kind = kind;
	get_entry.mode = st->st_mode & TAR_MODE;
	get_entry.size = kind == TAR_FILE ? st->st_size : 0;
	get_entry.mtime = st->st_mtim.tv_sec;
	get_at_top = false;
	output_used(tar_write_header(output_room(TAR_WRITE_MOST), &get_entry));
}

/* Open what must be of a type. Returns a descriptor or a negative errno. */
static long get_open(int dir, const char *last, mode_t type, struct stat *st)
{
	long fd = sys_openat(dir, last, GET_FLAGS | (type == S_IFDIR ? O_DIRECTORY : 0), 0);
	long error;

	if (fd < 0)
		return fd;
	error = sys2(__NR_fstat, fd, st);
	if (error >= 0 && (st->st_mode & S_IFMT) != type)
		error = -ESTALE; /* it was another one a moment ago */
	if (error < 0)
		sys_close((int)fd);
	return error < 0 ? error : fd;
}

/* A file that is in the tar by another name. */
static bool get_is_linked(const struct stat *st)
{
	const char *other = st->st_nlink > 1 ? linked_find(st) : NULL;
	size_t i = 0;

	if (!other)
		return false;
	for (; other[i]; i++)
		get_entry.link[i] = other[i];
	get_entry.link[i] = '\0';
	get_header(TAR_HARD_LINK, st);
	return true;
}

static void get_file(int dir, const char *last)
{
	struct stat st = {0};
	long fd = get_open(dir, last, S_IFREG, &st);
	long error;

	if (fd < 0) {
		get_miss("open", fd);
		return;
	}
	if (!get_is_linked(&st)) {
		get_header(TAR_FILE, &st);
		if (st.st_nlink > 1)
			linked_add(&st, get_entry.name);
		if (output_file((int)fd, st.st_size, &error))
			get_miss(error ? "read" : "has become shorter", error);
	}
	sys_close((int)fd);
}

static void get_enter(int dir, const char *last, size_t length)
{
	struct get_level *level = &get_levels[get_depth];
	struct stat st = {0};
	long fd;

	if (get_depth == GET_DEPTH) {
		get_miss("too deep", 0);
		return;
	}
	fd = get_open(dir, last, S_IFDIR, &st);
	if (fd < 0) {
		get_miss("open", fd);
		return;
	}
	get_header(TAR_DIRECTORY, &st);
	level->fd = (int)fd;
	level->length = length;
	level->at = 0;
	level->end = 0;
	get_depth++;
}

static void get_link(int dir, const char *last)
{
	struct stat st = {0};
	long n = sys4(__NR_newfstatat, dir, last, &st, AT_SYMLINK_NOFOLLOW);

	if (n >= 0)
		n = sys4(__NR_readlinkat, dir, last, get_entry.link, TAR_NAME_MOST);
	if (n < 0) {
		get_miss("read a link", n);
		return;
	}
	get_entry.link[n] = '\0';
	get_header(TAR_LINK, &st);
}

/* @type: of getdents64; DT_UNKNOWN where the file system does not say. */
static void get_member(int dir, const char *last, size_t length, unsigned char type)
{
	struct stat st = {0};

	if (type == DT_UNKNOWN) {
		long error = sys4(__NR_newfstatat, dir, last, &st, AT_SYMLINK_NOFOLLOW);

		if (error < 0) {
			get_miss("look at", error);
			return;
		}
		type = (unsigned char)IFTODT(st.st_mode);
	}
	if (type == DT_REG)
		get_file(dir, last);
	else if (type == DT_DIR)
		get_enter(dir, last, length);
	else if (type == DT_LNK)
		get_link(dir, last);
	else
		get_miss("a device, FIFO or socket is left out", 0);
}

/* The next name of the deepest directory; NULL: there is none, or it cannot be read. */
static const struct get_dirent *get_next(struct get_level *level)
{
	const struct get_dirent *entry;

	if (level->at == level->end) {
		level->at = 0;
		level->end = sys3(__NR_getdents64, level->fd, level->bytes, sizeof(level->bytes));
		if (level->end < 0) {
			get_entry.name[level->length] = '\0';
			get_miss("read the directory", level->end);
		}
		if (level->end <= 0)
			return NULL;
	}
	entry = (const void *)(level->bytes + level->at);
	level->at += entry->size;
	return entry;
}

static bool get_is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Append a name behind the first @length bytes of the entry's. Returns the new length; 0: no room.
 */
static size_t get_append(size_t length, const char *name)
{
	if (get_entry.name[length - 1] != '/' && length < TAR_NAME_MOST)
		get_entry.name[length++] = '/';
	while (*name && length < TAR_NAME_MOST)
		get_entry.name[length++] = *name++;
	get_entry.name[length] = '\0';
	return *name ? 0 : length;
}

static void get_walk(void)
{
	while (get_depth) {
		struct get_level *level = &get_levels[get_depth - 1];
		const struct get_dirent *next = get_next(level);
		size_t length;

		if (!next) {
			sys_close(level->fd);
			get_depth--;
			continue;
		}
		if (get_is_dots(next->name))
			continue;
		length = get_append(level->length, next->name);
		if (length)
			get_member(level->fd, next->name, length, next->type);
		else
			get_miss("a name is too long", 0);
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
		get_entry.name[i] = top[i];
	get_member(AT_FDCWD, path, length, DT_UNKNOWN);
	get_walk();
	if (!get_at_top)
		output_end();
}
