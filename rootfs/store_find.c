/*
 * store_find - the tree that a word names: by a tag, or by its id.
 */
#include <string.h>

#include "base/own.h"
#include "image/image_id.h"
#include "rootfs/store/store.h"

int store_find(const struct store *s, const char *reference, char **out, struct err *e)
{
	char id[IMAGE_ID];
	int found;

	if (!store_target(s, reference, out, e))
		return 0;
	if (e->kind != ERR_NOT_FOUND)
		return -1;
	found = image_id_find(s->path, reference, id, e);
	if (found > 0)
		*out = own_printf("../trees/%s", id);
	return found > 0 ? 0 : -1;
}
