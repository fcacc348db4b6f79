/*
 * data_listing - describe the content of a directory to a model.
 */
#include "agent/tell/data_listing.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "agent/data/text.h"
#include "agent/tell/defuse.h"
#include "agent/tell/path_text.h"
#include "base/escape.h"
#include "base/own.h"
#include "base/utf8.h"
#include "fs/walk.h"

enum {
	ENTRIES_READ = 2000, /* in total: a directory may have a million files */
	ENTRIES_SHOWN = 60,
	NAME_BYTES = 3000, /* of the listing, without contents */
	DEPTH_MAX = 3,
	SNIFF_BYTES = 4096, /* of a file */
	LINES_SHOWN = 3,
	LINE_BYTES = 160,
	CONTENT_BYTES = 2000, /* of all files */
};

struct listing {
	const char *folder;
	struct buf *out;
	size_t shown;
	size_t more; /* entries left out */
	bool incomplete;
	size_t content_left;
	size_t names_left; /* bytes */
};

/* Whether bytes are text: no control characters but white space, and mostly UTF-8. */
static bool data_listing_is_text(const char *bytes, size_t length)
{
	const unsigned char *p = (const unsigned char *)bytes;
	size_t bad = 0;

	for (size_t i = 0, n; i < length; i += n) {
		uint32_t code;

		n = utf8_decode(p + i, length - i, &code);
		if (code < 0x20 && !strchr("\t\n\r\f", (int)code))
			return false;
		if (!code || code == 0x7f)
			return false;
		bad += code == 0xfffd;
	}
	return bad <= 2 + length / 20; /* accepts Latin-1, but not pictures */
}

static void data_listing_show_line(struct listing *l, const char *line, size_t length)
{
	auto_buf struct buf text = {0};
	size_t before = l->out->length;
	bool cut = length > LINE_BYTES;

	if (cut)
		length = escape_whole(line, LINE_BYTES);
	while (length && strchr("\r\f", line[length - 1]))
		length--;
	defuse_line(line, length, &text);
	buf_printf(l->out, "    | %s%s\n", buf_string(&text), cut ? " ..." : "");
	before = l->out->length - before;
	l->content_left -= before < l->content_left ? before : l->content_left;
}

static void data_listing_show_lines(struct listing *l, const char *text, size_t length)
{
	if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		length -= 3;
	}
	for (size_t i = 0, n = 0; n < LINES_SHOWN && i < length && l->content_left; n++) {
		size_t end = text_line_end(text, i, length);

		data_listing_show_line(l, text + i, end - i);
		i = end + 1;
	}
}

static void data_listing_show_content(struct listing *l, int dir_fd, const char *name)
{
	auto_fd int fd =
		openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char bytes[SNIFF_BYTES];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	n = pread(fd, bytes, sizeof(bytes), 0);
	if (n > 0 && data_listing_is_text(bytes, (size_t)n))
		data_listing_show_lines(l, bytes, (size_t)n);
}

static const char *data_listing_kind_of(mode_t mode)
{
	if (S_ISDIR(mode))
		return "directory";
	if (S_ISLNK(mode))
		return "link";
	return "special file";
}

static void data_listing_show_entry(struct listing *l, const struct walk *w, const struct stat *st)
{
	size_t before = l->out->length;

	if (l->shown == ENTRIES_SHOWN || l->names_left == 0) {
		l->more++;
		return;
	}
	l->shown++;
	buf_text(l->out, "- ");
	path_text(l->folder, w->path, l->out);
	buf_text(l->out, " (");
	if (S_ISREG(st->st_mode))
		size_text((uint64_t)st->st_size, l->out);
	else
		buf_text(l->out, data_listing_kind_of(st->st_mode));
	buf_text(l->out, ")\n");
	before = l->out->length - before;
	l->names_left -= before < l->names_left ? before : l->names_left;
	if (S_ISREG(st->st_mode) && l->content_left)
		data_listing_show_content(l, w->dir_fd, w->name);
}

static void data_listing_list(struct listing *l, struct walk *w)
{
	while (walk_next(w) > 0) {
		struct stat st;

		if (fstatat(w->dir_fd, w->name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		data_listing_show_entry(l, w, &st);
		if (S_ISDIR(st.st_mode) && w->depth < DEPTH_MAX)
			(void)walk_enter(w, walk_open(w), -1);
	}
	l->incomplete |= w->cut;
}

void data_listing(int dir_fd, const char *folder, struct buf *out)
{
	/* Breadth first: files before the content of directories. */
	auto_walk struct walk w = {.room = ENTRIES_READ, .directories_last = true};
	struct listing l = {
		.folder = folder,
		.out = out,
		.content_left = CONTENT_BYTES,
		.names_left = NAME_BYTES,
	};

	if (dir_fd >= 0 && walk_begin(&w, dir_fd, -1, ""))
		l.incomplete = true;
	else if (dir_fd >= 0)
		data_listing_list(&l, &w);
	if (l.more || l.incomplete)
		buf_printf(out, "- and %s%zu more\n", l.incomplete ? "at least " : "",
			   l.more + l.incomplete);
	else if (!l.shown)
		buf_text(out, "(none)\n");
}
