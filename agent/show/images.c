/*
 * images - show a PNG inside the terminal.
 */
#include "agent/show/images.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/encode.h"
#include "base/io.h"
#include "base/own.h"
#include "fs/resolve.h"

#define KITTY_CHUNK 4096 /* base64 characters per chunk, the protocol's limit */

/* First match wins; a value that ends in '*' is a prefix, "*" alone matches any. */
static const struct terminal {
	const char *variable;
	const char *value;
	enum image_protocol protocol;
} terminals[] = {
	{"TMUX",            "*",             IMAGE_NONE },
	{"STY",             "*",             IMAGE_NONE },
	{"TERM",            "screen*",       IMAGE_NONE },
	{"TERM",            "tmux*",         IMAGE_NONE },
	{"TERM",            "dumb",          IMAGE_NONE },
	{"TERM",            "xterm-kitty",   IMAGE_KITTY},
	{"TERM",            "xterm-ghostty", IMAGE_KITTY},
	{"TERM_PROGRAM",    "ghostty",       IMAGE_KITTY},
	{"TERM_PROGRAM",    "iTerm.app",     IMAGE_ITERM},
	{"TERM_PROGRAM",    "WezTerm",       IMAGE_ITERM},
	{"TERM_PROGRAM",    "mintty",        IMAGE_ITERM},
	{"TERM_PROGRAM",    "vscode",        IMAGE_ITERM},
	{"LC_TERMINAL",     "iTerm2",        IMAGE_ITERM},
 /* Last, since terminals started from kitty inherit this variable. */
	{"KITTY_WINDOW_ID", "*",             IMAGE_KITTY},
	{"KONSOLE_VERSION", "*",             IMAGE_ITERM},
};

static bool images_fits(const struct terminal *t)
{
	const char *value = getenv(t->variable);
	size_t length = strlen(t->value);

	if (!value || !value[0])
		return false;
	if (t->value[length - 1] == '*')
		return !strncmp(value, t->value, length - 1);
	return !strcmp(value, t->value);
}

enum image_protocol images_detect(void)
{
	for (size_t i = 0; i < sizeof(terminals) / sizeof(terminals[0]); i++)
		if (images_fits(&terminals[i]))
			return terminals[i].protocol;
	return IMAGE_NONE;
}

static uint32_t images_big_endian(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

int images_check(const void *bytes, size_t length, size_t *out_length, uint32_t *out_width,
		 struct err *e)
{
	static const char signature[] = "\x89PNG\r\n\x1a\n";
	const unsigned char *p = bytes;
	size_t at = 8;
	uint32_t width;
	uint32_t height;

	if (length < 33 || memcmp(p, signature, 8) != 0 || memcmp(p + 8, "\0\0\0\x0dIHDR", 8) != 0)
		return err_input(e, "it is no PNG");
	width = images_big_endian(p + 16);
	height = images_big_endian(p + 20);
	if (!width || !height || width > IMAGES_PIXELS / height)
		return err_input(e, "it promises %u x %u pixels", width, height);
	/* A chunk is its length, its type, that many bytes, a checksum. */
	while (length - at >= 12) {
		uint32_t data = images_big_endian(p + at);

		if (data > length - at - 12)
			break;
		at += 12 + data;
		if (memcmp(p + at - data - 8, "IEND", 4) != 0)
			continue;
		*out_length = at;
		*out_width = width;
		return 0;
	}
	return err_input(e, "the PNG is cut off");
}

/* q=2: suppress the terminal's answer, which would arrive as typed text. */
static void images_kitty(struct buf *out, const unsigned char *png, size_t length, size_t columns)
{
	const size_t chunk = KITTY_CHUNK / 4 * 3;

	for (size_t at = 0; at < length; at += chunk) {
		size_t part = length - at < chunk ? length - at : chunk;
		int has_more = at + part < length;

		if (at)
			buf_printf(out, "\033_Gq=2,m=%d;", has_more);
		else if (columns)
			buf_printf(out, "\033_Ga=T,f=100,q=2,c=%zu,m=%d;", columns, has_more);
		else
			buf_printf(out, "\033_Ga=T,f=100,q=2,m=%d;", has_more);
		encode_base64(png + at, part, out);
		buf_text(out, "\033\\");
	}
}

static void images_iterm(struct buf *out, const unsigned char *png, size_t length, size_t columns)
{
	buf_printf(out, "\033]1337;File=inline=1;size=%zu;width=%s:", length,
		   columns ? "100%" : "auto");
	encode_base64(png, length, out);
	buf_text(out, "\a");
}

static int images_read_png(int dir_fd, const char *path, struct buf *out, struct err *e)
{
	auto_fd int fd =
		resolve_open(dir_fd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
			     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	struct stat st;

	if (fd < 0)
		return err_sys(e, "open %s", path);
	if (fstat(fd, &st))
		return err_sys(e, "stat %s", path);
	if (!S_ISREG(st.st_mode))
		return err_input(e, "%s is not a regular file", path);
	return io_read_fd(fd, path, IMAGES_BYTES, out, e);
}

int images_load(enum image_protocol protocol, int dir_fd, const char *path, uint32_t max_width,
		size_t columns, struct buf *out, struct err *e)
{
	auto_buf struct buf png = {0};
	size_t length;
	uint32_t width;

	if (protocol == IMAGE_NONE)
		return err_set(e, ERR_UNSUPPORTED, "this terminal shows no images");
	if (images_read_png(dir_fd, path, &png, e))
		return -1;
	if (images_check(png.data, png.length, &length, &width, e))
		return err_prefix(e, "%s", path);
	if (!max_width || width <= max_width)
		columns = 0;
	if (protocol == IMAGE_KITTY)
		images_kitty(out, (const unsigned char *)png.data, length, columns);
	else
		images_iterm(out, (const unsigned char *)png.data, length, columns);
	return 0;
}
