/*
 * walk - go through a tree, name by name, without following a link.
 */
#include "mover/walk.h"

#include "inside/sys.h"
#include "mover/member.h"

/* As getdents64(2) writes it. */
struct walk_dirent {
	unsigned long long unused[2]; /* inode, offset */
	unsigned short size;
	unsigned char type;
	char name[];
};

static struct walk_level walk_levels[WALK_DEPTH];
static struct {
	_Alignas(struct walk_dirent) unsigned char at[8192];
} walk_bytes[WALK_DEPTH];
static unsigned walk_depth;

struct walk_level *walk_top(void)
{
	return walk_depth ? &walk_levels[walk_depth - 1] : NULL;
}

struct walk_level *walk_at(unsigned depth)
{
	return depth < walk_depth ? &walk_levels[depth] : NULL;
}

struct walk_level *walk_enter(int fd, size_t length)
{
	walk_levels[walk_depth] = (struct walk_level){.fd = fd, .beside = -1, .length = length};
	return &walk_levels[walk_depth++];
}

bool walk_is_full(void)
{
	return walk_depth == WALK_DEPTH;
}

void walk_leave(void)
{
	const struct walk_level *level = &walk_levels[--walk_depth];

	sys_close(level->fd);
	if (level->beside >= 0)
		sys_close(level->beside);
}

/* The next entry of the deepest directory; NULL: there is none, or it cannot be read. */
static const struct walk_dirent *walk_read(struct walk_level *level, long *error)
{
	unsigned char *bytes = walk_bytes[walk_depth - 1].at;
	const struct walk_dirent *entry;

	if (level->at == level->end) {
		level->at = 0;
		level->end = sys3(__NR_getdents64, level->fd, bytes, sizeof(walk_bytes[0]));
		if (level->end < 0)
			*error = level->end;
		if (level->end <= 0)
			return NULL;
	}
	entry = (const void *)(bytes + level->at);
	level->at += entry->size;
	return entry;
}

static bool walk_is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

const char *walk_next(unsigned char *type, long *error)
{
	const struct walk_dirent *entry;

	*error = 0;
	do
		entry = walk_read(walk_top(), error);
	while (entry && walk_is_dots(entry->name));
	if (entry)
		*type = entry->type;
	return entry ? entry->name : NULL;
}

size_t walk_append(char *path, size_t length, const char *name)
{
	if (length && path[length - 1] != '/' && length < TAR_NAME_MOST)
		path[length++] = '/';
	while (*name && length < TAR_NAME_MOST)
		path[length++] = *name++;
	path[length] = '\0';
	return *name ? 0 : length;
}
