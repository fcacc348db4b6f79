/*
 * save_owners - let the image's user write in Docker and podman where a sandbox's user may.
 */
#include "save_owners.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "image/image_user.h"

/* A path of the tree: without slashes at its ends; NULL for the root. */
static char *save_owners_path(const char *absolute)
{
	size_t length;

	if (!absolute)
		return NULL;
	absolute += strspn(absolute, "/");
	length = strlen(absolute);
	while (length && absolute[length - 1] == '/')
		length--;
	return length ? own_strndup(absolute, length) : NULL;
}

void save_owners_find(const struct image *image, struct save_owners *out)
{
	const char *name = image->config.user;
	auto_image_user struct image_user user = {0};
	struct err ignored;

	*out = (struct save_owners){0};
	if (!name || !*name || image_user_find(image, name, &user, &ignored) || !user.uid)
		return;
	out->uid = user.uid;
	out->gid = user.gid;
	out->home = save_owners_path(user.home);
	out->work = save_owners_path(image->config.workdir);
}

void save_owners_fini(struct save_owners *o)
{
	own_free(&o->home);
	own_free(&o->work);
}

static bool save_owners_is_below(const char *path, const char *top)
{
	const size_t length = top ? strlen(top) : 0;

	return length && !strncmp(path, top, length) && (!path[length] || path[length] == '/');
}

void save_owners_change(const void *context, struct entry *entry)
{
	static const char *const for_all[] = {"tmp", "var/tmp", "run/lock"};
	const struct save_owners *o = context;
	/* A file has one owner: that of its first name. */
	const char *path = entry->type == ENTRY_HARDLINK ? entry->link : entry->path;

	for (size_t i = 0; i < sizeof(for_all) / sizeof(for_all[0]); i++) {
		if (entry->type == ENTRY_DIRECTORY && !strcmp(entry->path, for_all[i]))
			entry->mode = 01777;
	}
	if (save_owners_is_below(path, o->home) || save_owners_is_below(path, o->work)) {
		entry->uid = o->uid;
		entry->gid = o->gid;
	}
}
