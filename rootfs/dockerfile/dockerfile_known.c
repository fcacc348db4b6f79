/*
 * dockerfile_known - find an image that an earlier build made from the same plan.
 */
#include "dockerfile_known.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "dockerfile_key.h"

struct looking {
	const struct store *store;
	const char *key;
	char *target; /* in the form of a tag; NULL: not found */
	char *id;
	uint64_t size_bytes;
};

void dockerfile_known_key(const struct plan_stage *stage, char out[DIGEST_HEX])
{
	struct digest *d = dockerfile_key_begin(stage->key, "image");
	auto_buf struct buf identity = {0};

	meta_identity(&stage->state.meta, &identity);
	dockerfile_key_text(d, buf_string(&identity));
	digest_end(d, out);
}

static int dockerfile_known_look(const struct image *image, void *context)
{
	struct looking *l = context;
	const char *key = image->document ? json_string_at(image->document, "build") : NULL;
	auto_free char *target = NULL;

	if (!key || strcmp(key, l->key) != 0 || strncmp(image->config.id, "sha256:", 7) != 0)
		return 0;
	target = own_printf("../trees/%s", image->config.id + 7);
	if (faccessat(l->store->fd, target + 3, F_OK, AT_SYMLINK_NOFOLLOW))
		return 0;
	l->target = take_ptr(&target);
	l->id = own_strdup(image->config.id + 7);
	l->size_bytes = json_uint_at(image->document, "size_bytes", 0);
	return 1;
}

int dockerfile_known_tag(const struct store *store, const char *key, const struct list *references,
			 char id[DIGEST_HEX], uint64_t *size_bytes, struct err *e)
{
	struct looking l = {.store = store, .key = key};
	struct err ignored;
	int status = 0;

	(void)image_list(dockerfile_known_look, &l, &ignored);
	for (size_t i = 0; l.target && !status && i < references->count; i++)
		status = store_tag(store, references->items[i], l.target, e);
	if (l.target && !status && strlen(l.id) < DIGEST_HEX) {
		memcpy(id, l.id, strlen(l.id) + 1);
		*size_bytes = l.size_bytes;
		status = 1;
	}
	own_free(&l.target);
	own_free(&l.id);
	return status;
}
