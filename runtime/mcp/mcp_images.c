/*
 * mcp_images - the pictures of an answer: figures, displays and the last value.
 */
#include "mcp/mcp_images.h"

#include <string.h>

#include "base/encode.h"
#include "session/display_marks.h"

/* The kinds that clients show; the first of them in a bundle wins. */
static const struct image_kind {
	const char *type;
	const char *signature;
} kinds[] = {
	{"image/png",  "\x89PNG\r\n\x1a\n"},
	{"image/jpeg", "\xff\xd8\xff"     },
};

static bool mcp_images_is(const struct buf *bytes, const struct image_kind *kind)
{
	const size_t length = strlen(kind->signature);

	return bytes->length > length && !memcmp(bytes->data, kind->signature, length);
}

static void mcp_images_add(struct mcp_images *m, const struct image_kind *kind, const char *text,
			   size_t display, size_t *left)
{
	auto_buf struct buf bytes = {0};
	struct buf *base64;

	if (m->count == MCP_IMAGES_MOST || strlen(text) > *left) {
		m->left_out++;
		return;
	}
	if (decode_base64(text, &bytes) || !mcp_images_is(&bytes, kind))
		return;
	base64 = &m->items[m->count].base64;
	m->items[m->count].display = display;
	m->items[m->count++].type = kind->type;
	encode_base64(bytes.data, bytes.length, base64);
	*left -= base64->length < *left ? base64->length : *left;
}

static void mcp_images_read_bundle(struct mcp_images *m, const struct json *bundle, size_t display,
				   size_t *left)
{
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		const char *text = json_string_at(bundle, kinds[k].type);

		if (text) {
			mcp_images_add(m, &kinds[k], text, display, left);
			return;
		}
	}
}

/* @first  the display number of the first picture; MCP_IMAGE_LAST: figures. */
static void mcp_images_read_list(struct mcp_images *m, const struct json *list, size_t first,
				 size_t *left)
{
	size_t display = first;

	if (!list || !json_is_array(list))
		return;
	for (const struct json *n = json_first(list); n; n = json_next(n)) {
		mcp_images_read_bundle(m, n, display, left);
		display = display < DISPLAYS_MAX - 1 ? display + 1 : MCP_IMAGE_LAST;
	}
}

void mcp_images_read(struct mcp_images *m, const struct json *answer, size_t most)
{
	size_t left = most;

	*m = (struct mcp_images){0};
	if (!answer || !json_is_object(answer))
		return;
	mcp_images_read_list(m, json_get(answer, "displays"), 0, &left);
	mcp_images_read_bundle(m, json_get(answer, "value"), MCP_IMAGE_LAST, &left);
	mcp_images_read_list(m, json_get(answer, "figures"), MCP_IMAGE_LAST, &left);
}

void mcp_images_fini(struct mcp_images *m)
{
	for (size_t i = 0; i < m->count; i++)
		buf_fini(&m->items[i].base64);
	m->count = 0;
}
