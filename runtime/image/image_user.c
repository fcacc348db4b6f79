/*
 * image_user - look up a user in an image's /etc/passwd and /etc/group.
 */
#include "image/image_user.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/own.h"
#include "base/parse.h"
#include "fs/resolve.h"

#define MAX_DATABASE (4u << 20)

void image_user_fini(struct image_user *u)
{
	own_free(&u->home);
}

/*
 * Read a file of the image by its path inside; links are resolved inside, too. A missing file is
 * empty.
 */
static int image_user_read_inside(const struct image *image, const char *path, struct buf *out,
				  struct err *e)
{
	auto_fd int fd = -1;

	if (image->is_host) {
		buf_text(out, strcmp(path, "etc/passwd") ? HOST_GROUP : HOST_PASSWD);
		return 0;
	}
	fd = resolve_open(image->root_fd, path, O_RDONLY | O_NOCTTY | O_NONBLOCK,
			  RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return err_sys(e, "open %s of image %s", path, image->reference);
	return io_read_fd(fd, path, MAX_DATABASE, out, e);
}

/*
 * Find the line of a colon-separated database (passwd(5), group(5)) whose first or third field is
 * `key`. Fields are cut in place; missing ones are "".
 */
static bool image_user_find_entry(struct buf *database, const char *key, char *fields[7])
{
	char *next = database->data;

	while (next && *next) {
		char *line = next;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		for (int i = 0; i < 7; i++) {
			char *end = strchr(line, ':');

			fields[i] = line;
			line = end ? end + 1 : line + strlen(line);
			if (end)
				*end = '\0';
		}
		if (!strcmp(fields[0], key) || !strcmp(fields[2], key))
			return true;
	}
	return false;
}

static bool image_user_is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

static int image_user_id_number(const char *text, uint32_t *out, struct err *e)
{
	int64_t value;

	if (parse_int(text, 0, UINT32_MAX - 2, &value, e))
		return -1;
	*out = (uint32_t)value;
	return 0;
}

static int image_user_find_group(const struct image *image, const char *group,
				 struct image_user *out, struct err *e)
{
	auto_buf struct buf database = {0};
	char *fields[7];

	if (image_user_is_number(group))
		return image_user_id_number(group, &out->gid, e);
	if (image_user_read_inside(image, "etc/group", &database, e))
		return -1;
	if (!image_user_find_entry(&database, group, fields))
		return err_input(e, "no group \"%.64s\" in the image", group);
	return image_user_id_number(fields[2], &out->gid, e);
}

static int image_user_find_user(const struct image *image, const char *user, struct image_user *out,
				struct err *e)
{
	auto_buf struct buf database = {0};
	char *fields[7];

	if (image_user_read_inside(image, "etc/passwd", &database, e))
		return -1;
	if (image_user_find_entry(&database, user, fields)) {
		out->home = own_strdup(fields[5]);
		return image_user_id_number(fields[2], &out->uid, e) ||
				       image_user_id_number(fields[3], &out->gid, e)
			       ? err_prefix(e, "user %.64s of the image", user)
			       : 0;
	}
	/* Without capabilities group 0, Docker's default, has no meaning here. */
	out->uid = out->gid = 0;
	if (image_user_is_number(user))
		return image_user_id_number(user, &out->uid, e);
	return !strcmp(user, "root")
		       ? 0
		       : err_input(e, "no user \"%.64s\" in the image; give a number", user);
}

int image_user_find(const struct image *image, const char *text, struct image_user *out,
		    struct err *e)
{
	auto_free char *user = own_strdup(text);
	char *group = strchr(user, ':');

	*out = (struct image_user){0};
	if (group)
		*group++ = '\0';
	if (!image_user_find_user(image, user, out, e) &&
	    (!group || !*group || !image_user_find_group(image, group, out, e)))
		return 0;
	image_user_fini(out);
	return -1;
}
