/*
 * layer - what a sandbox has changed in its root: as a list, or as a tar.
 */
#include "mover/layer.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "inside/sys.h"
#include "mover/member.h"
#include "mover/note.h"
#include "mover/output.h"
#include "mover/walk.h"

#define LAYER_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define OPAQUE      "user.overlay.opaque" /* overlayfs.rst, "userxattr" */

static bool layer_as_list;

/* A path in the upper layer, and in the image. */
struct layer_pair {
	struct stat st;
	struct stat old;
	bool is_old; /* the image has it, and nothing above hides that */
};

static void layer_note(char how)
{
	const size_t length = sys_strlen(member_entry.name);
	unsigned char *room = output_room(length + 4);

	room[0] = (unsigned char)how;
	room[1] = ' ';
	room[2] = '/';
	for (size_t i = 0; i <= length; i++)
		room[3 + i] = (unsigned char)member_entry.name[i];
	output_used(length + 4);
}

static void layer_gone(void)
{
	static const struct stat none;

	member_entry.link[0] = '\0';
	member_header(TAR_SPECIAL, &none);
}

static void layer_directory(const struct stat *st, bool is_old)
{
	if (layer_as_list)
		layer_note(is_old ? 'C' : 'A');
	else
		member_header(TAR_DIRECTORY, st);
}

/* Tell of the directories on the way that have not been told of. */
static void layer_tell_above(void)
{
	struct walk_level *level;

	for (unsigned i = 0; (level = walk_at(i)); i++) {
		struct stat st = {0};
		char next;

		if (level->is_told)
			continue;
		(void)sys2(__NR_fstat, level->fd, &st);
		next = member_entry.name[level->length];
		member_entry.name[level->length] = '\0';
		layer_directory(&st, true);
		member_entry.name[level->length] = next;
		level->is_told = true;
	}
}

static bool layer_is_opaque(int fd)
{
	char value = '\0';

	return sys4(__NR_fgetxattr, fd, OPAQUE, &value, 1) == 1 && value == 'y';
}

/* Whether a directory is as the image's, but for what is in it. */
static bool layer_is_same(const struct layer_pair *p)
{
	return p->st.st_mode == p->old.st_mode && p->st.st_mtim.tv_sec == p->old.st_mtim.tv_sec &&
	       p->st.st_mtim.tv_nsec == p->old.st_mtim.tv_nsec;
}

static void layer_enter(const struct walk_level *above, const char *last, size_t length,
			struct layer_pair *p)
{
	struct walk_level *level;
	bool hides;
	long fd;

	fd = walk_is_full() ? 0 : member_open(above->fd, last, S_IFDIR, &p->st);
	if (fd <= 0) {
		member_miss(fd ? "open" : "too deep", fd);
		return;
	}
	hides = p->is_old && (!S_ISDIR(p->old.st_mode) || layer_is_opaque((int)fd));
	if (hides || !p->is_old || !layer_is_same(p)) {
		layer_tell_above();
		if (hides && !layer_as_list)
			layer_gone();
		layer_directory(&p->st, p->is_old);
	}
	level = walk_enter((int)fd, length);
	level->is_told = hides || !p->is_old || !layer_is_same(p);
	if (p->is_old && !hides)
		level->beside = (int)sys_openat(above->beside, last, LAYER_FLAGS, 0);
}

static void layer_other(const struct walk_level *above, const char *last,
			const struct layer_pair *p)
{
	const bool is_gone = S_ISCHR(p->st.st_mode) && !p->st.st_rdev;

	if (is_gone && !p->is_old)
		return;
	layer_tell_above();
	if (layer_as_list) {
		layer_note(is_gone ? 'D' : p->is_old ? 'C' : 'A');
		return;
	}
	if (is_gone || (p->is_old && S_ISDIR(p->old.st_mode)))
		layer_gone();
	if (S_ISREG(p->st.st_mode))
		member_file(above->fd, last);
	else if (S_ISLNK(p->st.st_mode))
		member_link(above->fd, last);
	/* Devices, FIFOs and sockets do not come back, and need no word: what is said was lost. */
}

static void layer_member(const char *last, size_t length)
{
	const struct walk_level *above = walk_top();
	struct layer_pair p = {0};
	long error = sys4(__NR_newfstatat, above->fd, last, &p.st, AT_SYMLINK_NOFOLLOW);

	if (error < 0) {
		member_miss("look at", error);
		return;
	}
	p.is_old = above->beside >= 0 &&
		   sys4(__NR_newfstatat, above->beside, last, &p.old, AT_SYMLINK_NOFOLLOW) >= 0;
	if (S_ISDIR(p.st.st_mode))
		layer_enter(above, last, length, &p);
	else
		layer_other(above, last, &p);
}

static void layer_walk(void)
{
	struct walk_level *level;

	while ((level = walk_top())) {
		unsigned char type;
		long error;
		const char *name = walk_next(&type, &error);
		size_t length = name ? walk_append(member_entry.name, level->length, name) : 0;

		if (length) {
			layer_member(name, length);
			continue;
		}
		if (error || name)
			member_miss(name ? "a name is too long" : "read the directory", error);
		if (!name)
			walk_leave();
	}
}

static void layer_run(void)
{
	long upper = sys_openat(0, "upper", LAYER_FLAGS, 0);
	long lower = sys_openat(0, "lower", LAYER_FLAGS, 0);
	struct walk_level *level;

	if (upper < 0 || lower < 0) {
		note_failure("open", "the layers of the root", upper < 0 ? upper : lower);
		return;
	}
	member_at_top = false;
	level = walk_enter((int)upper, 0);
	level->beside = (int)lower;
	level->is_told = true;
	layer_walk();
}

void layer_list(void)
{
	layer_as_list = true;
	layer_run();
	output_flush();
}

void layer_write(void)
{
	layer_run();
	output_end();
}
