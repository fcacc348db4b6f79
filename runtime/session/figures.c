/*
 * figures - write the pictures of an answer to files.
 */
#include "session/figures.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/io.h"
#include "base/own.h"

#define MAX_NUMBER  10000
#define FIGURE_MODE 0644

/* The formats that display.py draws, and the begin of such a file. */
static const struct figure_kind {
	const char *mime;
	const char *suffix;
	const char *signature;
	bool is_text; /* plain text; the others are Base64 */
} figure_kinds[] = {
	{"image/png",       "png",  "\x89PNG\r\n\x1a\n", false},
	{"image/svg+xml",   "svg",  "<",                 true },
	{"image/jpeg",      "jpeg", "\xff\xd8\xff",      false},
	{"application/pdf", "pdf",  "%PDF-",             false},
};

#define KINDS (sizeof(figure_kinds) / sizeof(figure_kinds[0]))

struct figures {
	int dir_fd;
	unsigned numbers[KINDS]; /* last number tried */
	struct buf *names;
};

/* Give the file to the directory's owner: we may be root, and the owner another user. */
static void figures_give_to_owner(int dir_fd, int fd)
{
	struct stat st;

	if (geteuid() == 0 && !fstat(dir_fd, &st) && fchown(fd, st.st_uid, st.st_gid))
		return;
}

/* Make a new file under a free name; -1. */
static int figures_make_file(int dir_fd, unsigned *number, const char *suffix, char *name,
			     size_t size)
{
	while (*number < MAX_NUMBER) {
		int fd;

		snprintf(name, size, "figure-%u.%s", ++*number, suffix);
		fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    FIGURE_MODE);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* A picture being written. */
struct figure {
	struct figures *all;
	size_t kind;
	int fd; /* -1: no byte written yet */
	char name[32];
};

/* Make the file once the first bytes are those of such a picture. */
static int figures_take(void *context, const void *bytes, size_t length)
{
	struct figure *x = context;
	const struct figure_kind *kind = &figure_kinds[x->kind];
	const size_t signature = strlen(kind->signature);

	if (x->fd < 0) {
		if (length < signature || memcmp(bytes, kind->signature, signature) != 0)
			return -1;
		x->fd = figures_make_file(x->all->dir_fd, &x->all->numbers[x->kind], kind->suffix,
					  x->name, sizeof(x->name));
		if (x->fd < 0)
			return -1;
		figures_give_to_owner(x->all->dir_fd, x->fd);
	}
	return io_write_all(x->fd, bytes, length);
}

static void figures_save_one(struct figures *f, size_t k, const char *text)
{
	struct figure x = {.all = f, .kind = k, .fd = -1};
	int bad = figure_kinds[k].is_text ? figures_take(&x, text, strlen(text))
					  : decode_base64_parts(text, figures_take, &x);

	if (x.fd >= 0 && bad) { /* remove an incomplete picture */
		unlinkat(f->dir_fd, x.name, 0);
		f->numbers[k]--;
	} else if (x.fd >= 0 && f->names) {
		buf_printf(f->names, "%s\n", x.name);
	}
	own_close(&x.fd);
}

/* Whether the bundle had a picture. */
static bool figures_save_bundle(struct figures *f, const struct json *bundle)
{
	bool any = false;

	for (size_t k = 0; k < KINDS; k++) {
		const char *picture = json_string_at(bundle, figure_kinds[k].mime);

		if (picture)
			figures_save_one(f, k, picture);
		any |= picture != NULL;
	}
	return any;
}

size_t figures_count(const struct json *bundles)
{
	size_t count = 0;

	for (const struct json *n = json_first(bundles); n; n = json_next(n))
		count += json_string_at(n, figure_kinds[0].mime) != NULL;
	return count;
}

void figures_save(int dir_fd, const struct json *bundles, struct buf *names)
{
	struct figures f = {.dir_fd = dir_fd, .names = names};
	unsigned saved = 0;

	(void)figures_save_bundle(&f, bundles);
	if (!json_is_array(bundles))
		return;
	for (const struct json *n = json_first(bundles); n && saved < FIGURES_MAX; n = json_next(n))
		saved += figures_save_bundle(&f, n);
}

static bool figures_is_format(const char *name, size_t length)
{
	for (size_t k = 0; k < KINDS; k++) {
		if (strlen(figure_kinds[k].suffix) == length &&
		    !strncmp(figure_kinds[k].suffix, name, length))
			return true;
	}
	return false;
}

int figures_add_formats(const char *formats, struct buf *out, struct err *e)
{
	buf_text(out, ",\"formats\":[");
	for (const char *p = formats, *between = ""; *p; p += *p == ',') {
		size_t length = strcspn(p, ",");

		if (length && !figures_is_format(p, length))
			return err_input(e, "--formats: \"%.*s\" is none of png, svg, jpeg, pdf",
					 length < 40 ? (int)length : 40, p);
		if (length) {
			buf_text(out, between);
			buf_json_string(out, p, length);
			between = ",";
		}
		p += length;
	}
	buf_text(out, "]");
	return 0;
}
