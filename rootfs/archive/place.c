/*
 * place - clean the name of an archive's entry, and open its directory inside a root that no
 * symbolic link leaves.
 */
#include "place.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/resolve.h"

#define NAME_BYTES_MAX 255

const char *place_set(struct place *p, const char *text)
{
	size_t used = 0;

	if (!text || !*text)
		return "it has no usable name";
	if (*text == '/')
		return "its name is absolute";
	p->path[0] = '\0';
	while (*text) {
		size_t length = strcspn(text, "/");

		if (length == 2 && !memcmp(text, "..", 2))
			return "its name leads out of the tree";
		if (length > NAME_BYTES_MAX || used + length + 2 > sizeof(p->path))
			return "its name is too long";
		if (length && !(length == 1 && *text == '.')) {
			if (used)
				p->path[used++] = '/';
			memcpy(p->path + used, text, length);
			used += length;
			p->path[used] = '\0';
		}
		text += length;
		text += *text == '/';
	}
	p->name = strrchr(p->path, '/');
	p->name = p->name ? p->name + 1 : p->path;
	return NULL;
}

char *place_parent(const struct place *p)
{
	size_t length = (size_t)(p->name - p->path);

	return own_strndup(p->path, length ? length - 1 : 0);
}

static int place_open_in_root(int root_fd, const char *path)
{
	return resolve_open(root_fd, *path ? path : ".", O_PATH | O_DIRECTORY,
			    RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
}

/* Open PATH, whose last component is NAME (inside it); make a missing one. */
static int place_open_or_make(int root_fd, char *path, char *name)
{
	int fd = place_open_in_root(root_fd, path);
	auto_fd int parent = -1;

	if (fd >= 0 || errno != ENOENT)
		return fd;
	if (name != path)
		name[-1] = '\0';
	parent = place_open_in_root(root_fd, name == path ? "" : path);
	if (name != path)
		name[-1] = '/';
	/* A dangling link exists and cannot be opened: mkdirat refuses it, and so do we. */
	if (parent < 0 || mkdirat(parent, name, 0755))
		return -1;
	return place_open_in_root(root_fd, path);
}

int place_open(int root_fd, char *path, bool make)
{
	auto_fd int fd = place_open_in_root(root_fd, path);
	char *name = path;

	if (fd >= 0 || errno != ENOENT || !make)
		return take_fd(&fd);
	for (;;) {
		char *end = strchrnul(name, '/');
		char saved = *end;

		*end = '\0';
		own_close(&fd);
		fd = place_open_or_make(root_fd, path, name);
		*end = saved;
		if (fd < 0 || !saved)
			return take_fd(&fd);
		name = end + 1;
	}
}
