/*
 * image_user - look up a user in an image's /etc/passwd and /etc/group.
 *
 * Reads these files of the image, never outside its tree, and does not trust them.
 * Runs: monitor, client, supervisor, before anything starts; a chamber. Needs: read access to the
 * image.
 */
#ifndef GLOVEBOX_IMAGE_IMAGE_USER_H
#define GLOVEBOX_IMAGE_IMAGE_USER_H

#include <stdint.h>

#include "base/err.h"
#include "image/image.h"

/* The fixed part of the image host's synthesized /etc/passwd and /etc/group. */
#define HOST_PASSWD                                                                                \
	"root:x:0:0:root:/root:/usr/sbin/nologin\n"                                                \
	"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
#define HOST_GROUP "root:x:0:\nnogroup:x:65534:\n"

struct image_user {
	uint32_t uid;
	uint32_t gid; /* 0 for an unknown uid, as in Docker */
	char *home;   /* from /etc/passwd; NULL: the user is not there. Owned */
};

/*
 * image_user_find - "name", "uid", "name:group", "uid:gid".
 * @image  only its root and its name are used
 * @out    end with image_user_fini()
 * Errors: ERR_INPUT for an unknown name or an invalid number.
 */
int image_user_find(const struct image *image, const char *text, struct image_user *out,
		    struct err *e);
void image_user_fini(struct image_user *u);
#define auto_image_user __attribute__((cleanup(image_user_fini)))

#endif
