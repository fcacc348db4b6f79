/*
 * data_listing - what a directory holds, for a model to read.
 */
#include "agent/tell/data_listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/tell/defuse.h"
#include "agent/tell/path_text.h"
#include "base/own.h"
#include "base/resolve.h"
#include "base/utf8.h"

enum {
	ENTRIES_READ = 2000, /* in all: what a directory of a million files may cost */
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
	size_t entries_read;
	size_t shown;
	size_t more; /* not shown */
	bool incomplete;
	size_t content_left;
	size_t names_left; /* bytes */
};

struct entries {
	char **names;
	size_t count;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void read_entries(struct listing *l, DIR *dir, struct entries *out)
{
	struct dirent *entry;

	out->names = calloc(ENTRIES_READ, sizeof(*out->names));
	if (!out->names)
		abort();
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (l->entries_read == ENTRIES_READ) {
			l->incomplete = true;
			break;
		}
		l->entries_read++;
		out->names[out->count++] = own_strdup(entry->d_name);
	}
	qsort(out->names, out->count, sizeof(*out->names), by_name);
}

static void entries_fini(struct entries *e)
{
	for (size_t i = 0; i < e->count; i++)
		free(e->names[i]);
	free(e->names);
	*e = (struct entries){0};
}

static int open_below(int dir_fd, const char *name, int flags)
{
	return resolve_open(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | flags,
			    RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

/* Text has no control characters but white space, and is UTF-8 for the most part. */
static bool is_text(const char *bytes, size_t length)
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
	return bad <= 2 + length / 20; /* Latin-1 is shown, pictures are not */
}

static void show_line(struct listing *l, const char *line, size_t length)
{
	auto_buf struct buf text = {0};
	size_t before = l->out->length;
	bool cut = length > LINE_BYTES;

	if (cut)
		for (length = LINE_BYTES; length && ((unsigned char)line[length] & 0xc0) == 0x80;)
			length--;
	while (length && strchr("\r\f", line[length - 1]))
		length--;
	defuse_line(line, length, &text);
	buf_printf(l->out, "    | %s%s\n", buf_string(&text), cut ? " ..." : "");
	before = l->out->length - before;
	l->content_left -= before < l->content_left ? before : l->content_left;
}

static void show_lines(struct listing *l, const char *text, size_t length)
{
	if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		length -= 3;
	}
	for (size_t i = 0, n = 0; n < LINES_SHOWN && i < length && l->content_left; n++) {
		const char *newline = memchr(text + i, '\n', length - i);
		size_t end = newline ? (size_t)(newline - text) : length;

		show_line(l, text + i, end - i);
		i = end + 1;
	}
}

static void show_content(struct listing *l, int dir_fd, const char *name)
{
	auto_fd int fd = open_below(dir_fd, name, 0);
	char bytes[SNIFF_BYTES];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	n = pread(fd, bytes, sizeof(bytes), 0);
	if (n > 0 && is_text(bytes, (size_t)n))
		show_lines(l, bytes, (size_t)n);
}

static const char *kind_of(mode_t mode)
{
	if (S_ISDIR(mode))
		return "directory";
	if (S_ISLNK(mode))
		return "link";
	return "special file";
}

static void show_entry(struct listing *l, int dir_fd, const char *name, const char *path,
		       const struct stat *st)
{
	size_t before = l->out->length;

	if (l->shown == ENTRIES_SHOWN || l->names_left == 0) {
		l->more++;
		return;
	}
	l->shown++;
	buf_text(l->out, "- ");
	path_text(l->folder, path, l->out);
	buf_text(l->out, " (");
	if (S_ISREG(st->st_mode))
		size_text((uint64_t)st->st_size, l->out);
	else
		buf_text(l->out, kind_of(st->st_mode));
	buf_text(l->out, ")\n");
	before = l->out->length - before;
	l->names_left -= before < l->names_left ? before : l->names_left;
	if (S_ISREG(st->st_mode) && l->content_left)
		show_content(l, dir_fd, name);
}

static void list(struct listing *l, int dir_fd, const char *path, unsigned depth);

/* Files before directories: what is nearest is shown first. */
static void list_entries(struct listing *l, int dir_fd, const char *path, const struct entries *e,
			 unsigned depth, bool directories)
{
	for (size_t i = 0; i < e->count; i++) {
		auto_buf struct buf below = {0};
		struct stat st;

		if (fstatat(dir_fd, e->names[i], &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISDIR(st.st_mode) != directories)
			continue;
		buf_printf(&below, "%s%s%s", path, *path ? "/" : "", e->names[i]);
		show_entry(l, dir_fd, e->names[i], buf_string(&below), &st);
		if (directories && depth < DEPTH_MAX) {
			auto_fd int fd = open_below(dir_fd, e->names[i], O_DIRECTORY);

			if (fd >= 0)
				list(l, fd, buf_string(&below), depth + 1);
		}
	}
}

/* @dir_fd  borrowed: what is read through is a description of its own, at its beginning */
static void list(struct listing *l, int dir_fd, const char *path, unsigned depth)
{
	auto_fd int own = open_below(dir_fd, ".", O_DIRECTORY);
	struct entries entries = {0};
	DIR *dir = own >= 0 ? fdopendir(own) : NULL;

	if (!dir) {
		l->incomplete = true;
		return;
	}
	(void)take_fd(&own);
	read_entries(l, dir, &entries);
	list_entries(l, dir_fd, path, &entries, depth, false);
	list_entries(l, dir_fd, path, &entries, depth, true);
	entries_fini(&entries);
	closedir(dir);
}

void data_listing(int dir_fd, const char *folder, struct buf *out)
{
	struct listing l = {
		.folder = folder,
		.out = out,
		.content_left = CONTENT_BYTES,
		.names_left = NAME_BYTES,
	};

	if (dir_fd >= 0)
		list(&l, dir_fd, "", 1);
	if (l.more || l.incomplete)
		buf_printf(out, "- and %s%zu more\n", l.incomplete ? "at least " : "",
			   l.more + l.incomplete);
	else if (!l.shown)
		buf_text(out, "(none)\n");
}
