/*
 * dockerfile_home - warn of image files in a directory that is an empty HOME in a run.
 */
#include "dockerfile_home.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/own.h"
#include "base/say.h"
#include "fs/names.h"
#include "image/image_user.h"
#include "rootfs/archive/place.h"

static bool dockerfile_home_has_files(int root_fd, const char *home)
{
	auto_free char *path = own_strdup(home + 1);
	auto_fd int fd = place_open(root_fd, path, false);
	auto_list struct list names = {0};

	if (fd < 0 || names_read(fd, SIZE_MAX, &names) < 0)
		return false;
	for (size_t i = 0; i < names.count; i++) {
		if (*names.items[i] != '.')
			return true;
	}
	return false;
}

void dockerfile_home_warn(const struct meta *meta, int root_fd)
{
	const struct image image = {.root_fd = root_fd, .reference = (char *)"that was built"};
	auto_image_user struct image_user user = {0};
	auto_free char *text = NULL;
	struct err ignored;

	/* Root is another user in a run, who has no files yet (root/program.c). */
	if (!*meta->user || image_user_find(&image, meta->user, &user, &ignored) || !user.uid ||
	    !user.home || *user.home != '/' || !user.home[1] ||
	    !dockerfile_home_has_files(root_fd, user.home))
		return;
	text = own_printf(
		"%s has files, and is empty in a run, as every HOME: copy them to another "
		"directory",
		user.home);
	say_warning(text);
}
