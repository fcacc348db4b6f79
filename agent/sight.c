/*
 * sight - send pictures that code made to a model that can see.
 */
#include "agent/sight.h"

#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "agent/show/images.h"
#include "agent/tell/path_text.h"
#include "base/encode.h"
#include "base/io.h"
#include "base/own.h"
#include "fs/resolve.h"

#define PICTURES_MAX  4          /* per round */
#define PICTURE_BYTES (1u << 20) /* larger ones are left out */

void sight_note(struct task *t, const struct execution *x)
{
	for (size_t i = 0; t->loop->sees && i < x->file_count; i++) {
		const char *suffix = strrchr(x->files[i].path, '.');

		if (suffix && !strcasecmp(suffix, ".png") && t->pictures.count < PICTURES_MAX &&
		    !list_has(&t->pictures, x->files[i].path))
			list_add(&t->pictures, x->files[i].path);
	}
}

static bool sight_read(int output_fd, const char *path, struct buf *out)
{
	auto_fd int fd = resolve_open(output_fd, path, O_RDONLY | O_NONBLOCK, RESOLVE_NO_WAY_OUT);
	auto_buf struct buf png = {0};
	struct err ignored;
	struct stat st;
	uint32_t width;
	size_t length;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    io_read_fd(fd, path, PICTURE_BYTES, &png, &ignored))
		return false;
	/* The model's server decodes it, so the number of pixels is bounded, too. */
	if (images_check(buf_string(&png), png.length, &length, &width, &ignored))
		return false;
	encode_base64(png.data, length, out);
	return true;
}

void sight_show(struct task *t)
{
	struct chat_message m = {.role = CHAT_USER};
	auto_buf struct buf text = {0};

	buf_text(&text, "For you to look at, the pictures that this code left:");
	for (size_t i = 0; i < t->pictures.count; i++) {
		auto_buf struct buf picture = {0};

		if (!sight_read(t->loop->output_fd, t->pictures.items[i], &picture))
			continue;
		buf_text(&text, m.images.count ? ", " : " ");
		path_text("/output", t->pictures.items[i], &text);
		list_add(&m.images, buf_string(&picture));
	}
	list_fini(&t->pictures);
	if (!m.images.count)
		return;
	m.content = buf_take(&text);
	conversation_add(&t->loop->conversation, &m);
}
