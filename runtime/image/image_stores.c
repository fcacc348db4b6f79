/*
 * image_stores - where images are kept: the stores of this user, in their order.
 */
#include "image/image_stores.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/own.h"

#define SYSTEM_STORE "/var/lib/glovebox/images"

/* A run changes its root and working directory. */
static char *image_stores_absolute(const char *path)
{
	auto_free char *cwd = *path == '/' ? NULL : getcwd(NULL, 0);

	return own_printf("%s%s%s", cwd ? cwd : "", *path == '/' ? "" : "/", path);
}

static const char *image_stores_text(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

void image_stores_init(struct image_stores *s)
{
	const char *images = image_stores_text("GLOVEBOX_IMAGES");
	const char *data = image_stores_text("XDG_DATA_HOME");
	const char *home = image_stores_text("HOME");

	if (images) {
		s->paths[s->count++] = image_stores_absolute(images);
		return;
	}
	/* The XDG specification: a relative path must be ignored. */
	if (geteuid() != 0 && data && *data == '/')
		s->paths[s->count++] = own_printf("%s/glovebox/images", data);
	else if (geteuid() != 0 && home && *home == '/')
		s->paths[s->count++] = own_printf("%s/.local/share/glovebox/images", home);
	s->paths[s->count++] = own_strdup(SYSTEM_STORE);
}

void image_stores_fini(struct image_stores *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->paths[i]);
}
char *image_store_path(void)
{
	auto_stores struct image_stores s = {0};
	char *path;

	image_stores_init(&s);
	if (s.count == 1 && geteuid() != 0 && !image_stores_text("GLOVEBOX_IMAGES"))
		return NULL;
	path = s.paths[0];
	s.paths[0] = NULL;
	return path;
}
