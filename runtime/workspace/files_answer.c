/*
 * files_answer - what mover has said, as a result or an error.
 */
#include "workspace/files_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/parse.h"

int files_answer_error(const char *path, int number, struct err *e)
{
	static const struct {
		int number;
		enum err_kind kind;
		const char *text;
	} known[] = {
		{ENOENT,  ERR_NOT_FOUND, "no such file or directory"                        },
		{ENOTDIR, ERR_INPUT,     "a part of the path is not a directory"            },
		{ELOOP,   ERR_INPUT,     "a symbolic link is in the way; none is followed"  },
		{EXDEV,   ERR_INPUT,     "another file system is mounted there"             },
		{EISDIR,  ERR_INPUT,     "it is a directory"                                },
		{EEXIST,  ERR_EXISTS,    "there is something of that name"                  },
		{EROFS,   ERR_DENIED,    "nothing can be written there"                     },
		{EACCES,  ERR_DENIED,    "its mode, or a directory's on the way, forbids it"},
		{EPERM,   ERR_DENIED,    "its owner, or its directory's, forbids it"        },
		{EAGAIN,  ERR_DENIED,    "the program in the sandbox has a lease on it"     },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].number == number)
			return err_set(e, known[i].kind, "%.300s: %s", path, known[i].text);
	}
	errno = number;
	return err_sys(e, "%.300s", path);
}

/* "file", "directory", ... */
static const char *files_answer_type(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "file";
	case S_IFDIR:
		return "directory";
	case S_IFLNK:
		return "symlink";
	case S_IFIFO:
		return "fifo";
	case S_IFSOCK:
		return "socket";
	default:
		return "device";
	}
}

static int files_answer_not_wanted(const struct files_request *r, const char *path, mode_t mode,
				   struct err *e)
{
	if (r->action == FILES_GET)
		return err_input(e, "%.300s: a %s, not a file", path, files_answer_type(mode));
	return err_input(e, "%.300s/: a %s, not a directory", path, files_answer_type(mode));
}

static int files_answer_too_large(const struct files_request *r, const char *path, uint64_t size,
				  struct err *e)
{
	char is[24];
	char max[24];

	if (r->action == FILES_ARCHIVE)
		return err_input(e,
				 "%.300s: with it the files have more than %s, with holes as bytes",
				 path, format_size(r->rules.max_bytes, max));
	if (size > r->rules.max_bytes)
		return err_input(e, "%.300s: %s, more than %s", path, format_size(size, is),
				 format_size(r->rules.max_bytes, max));
	return files_answer_error(path, EFBIG, e);
}

int files_answer_read(const struct files_request *request, const struct files_path *path,
		      const struct files_said *said, struct files_result *out, struct err *e)
{
	char elsewhere[FILES_SAID_PATH];
	const char *where = files_path_shown(path);

	out->got.size_bytes = said->size;
	out->got.mode = said->mode & 0777;
	out->got.truncated = said->has_grown;
	out->listed = (struct files_listed){said->entries, said->unread, said->is_cut};
	memcpy(elsewhere, said->path, sizeof(elsewhere));
	elsewhere[sizeof(elsewhere) - 1] = '\0';
	if (*elsewhere)
		where = elsewhere;
	switch (said->wrong) {
	case FILES_FINE:
		return 0;
	case FILES_NOT_WANTED:
		return files_answer_not_wanted(request, where, said->mode, e);
	case FILES_TOO_LARGE:
		return files_answer_too_large(request, where, said->size, e);
	case FILES_TOO_MANY:
		return err_input(e, "there are more than %u names", request->rules.max_entries);
	case FILES_CUT:
		return files_answer_error(where, ECANCELED, e);
	default:
		return files_answer_error(where, (int)(said->error & 0xfff), e);
	}
}

/* -- a listing ------------------------------------------------------------------------------- */

/* An entry where it lies; its names have a NUL behind them, in copies. */
struct listed {
	struct files_entry is;
	char *path;   /* owned */
	char *target; /* owned; NULL */
	unsigned level;
};

struct listing {
	struct listed *items; /* owned */
	size_t count;
};

static void files_answer_free(struct listing *l)
{
	for (size_t i = 0; i < l->count; i++) {
		free(l->items[i].path);
		free(l->items[i].target);
	}
	free(l->items);
}

static char *files_answer_copy(const char *bytes, size_t length)
{
	char *copy = own_zeroed(length + 1, 1);

	memcpy(copy, bytes, length);
	return copy;
}

/* Whether it is a path as we would ask for it again. */
static bool files_answer_is_clean(const char *path, size_t length)
{
	struct files_path clean;
	struct err ignored;

	return !files_path_set(&clean, path, &ignored) && *path && strlen(path) == length &&
	       !strcmp(clean.text, path);
}

/* Whether a whole entry is at a place. */
static bool files_answer_is_whole(const struct buf *bytes, size_t at, struct files_entry *out)
{
	if (bytes->length - at < sizeof(*out))
		return false;
	memcpy(out, bytes->data + at, sizeof(*out));
	return bytes->length - at - sizeof(*out) >= (size_t)out->path_bytes + out->target_bytes;
}

/* Take the entry at *at. Returns whether it is one. */
static bool files_answer_take(struct listing *l, const struct buf *bytes, size_t *at)
{
	struct listed one = {0};
	const char *names;

	if (!files_answer_is_whole(bytes, *at, &one.is))
		return false;
	names = bytes->data + *at + sizeof(one.is);
	one.path = files_answer_copy(names, one.is.path_bytes);
	if (S_ISLNK(one.is.mode))
		one.target = files_answer_copy(names + one.is.path_bytes, one.is.target_bytes);
	for (const char *c = one.path; *c; c++)
		one.level += *c == '/';
	l->items = own_grow(l->items, l->count, sizeof(one));
	l->items[l->count++] = one;
	*at += sizeof(one.is) + one.is.path_bytes + one.is.target_bytes;
	return files_answer_is_clean(one.path, one.is.path_bytes);
}

/* By level; in one by directory and name, as bytes. */
static int files_answer_compare(const void *one, const void *two)
{
	const struct listed *a = one;
	const struct listed *b = two;
	const unsigned char *x = (const unsigned char *)a->path;
	const unsigned char *y = (const unsigned char *)b->path;

	if (a->level != b->level)
		return a->level < b->level ? -1 : 1;
	for (; *x && *x == *y; x++)
		y++;
	if (*x == *y)
		return 0;
	/* A directory's name ends where another one's goes on. */
	if (*x == '/' || *y == '/')
		return *x == '/' ? (*y ? -1 : 1) : (*x ? 1 : -1);
	return *x < *y ? -1 : 1;
}

static void files_answer_put(const struct listed *l, struct buf *json)
{
	char mode[8];

	snprintf(mode, sizeof(mode), "%04o", l->is.mode & 07777);
	json_put_begin(json, NULL, '{');
	json_put_name(json, "path", l->path);
	json_put_text(json, "type", files_answer_type(l->is.mode));
	json_put_int(json, "size", (int64_t)(l->is.size & INT64_MAX));
	json_put_int(json, "allocated", (int64_t)(l->is.allocated & INT64_MAX));
	json_put_text(json, "mode", mode);
	json_put_int(json, "mtime", l->is.mtime);
	if (l->target)
		json_put_name(json, "target", l->target);
	json_put_end(json, '}');
}

static void files_answer_put_all(const struct listing *l, size_t most, struct files_result *out)
{
	buf_text(&out->json, "[");
	out->listed.entries = 0;
	for (size_t i = 0; i < l->count; i++) {
		const size_t before = out->json.length;

		files_answer_put(&l->items[i], &out->json);
		if (out->json.length + 1 > most) {
			buf_cut(&out->json, before);
			out->listed.truncated = true;
			break;
		}
		out->listed.entries++;
	}
	json_put_end(&out->json, ']');
}

int files_answer_list(const struct buf *bytes, const struct files_rules *rules,
		      struct files_result *out, struct err *e)
{
	struct listing l = {0};
	struct files_entry unused;
	bool good = true;
	size_t at = 0;

	while (good && l.count < rules->max_entries && at < bytes->length) {
		if (bytes->truncated && !files_answer_is_whole(bytes, at, &unused))
			break;
		good = files_answer_take(&l, bytes, &at);
	}
	out->listed.truncated |= bytes->truncated;
	if (good && l.count)
		qsort(l.items, l.count, sizeof(*l.items), files_answer_compare);
	if (good)
		files_answer_put_all(&l, rules->max_list_bytes, out);
	files_answer_free(&l);
	return good ? 0 : err_set(e, ERR_SYSTEM, "the answer of the session is not a listing");
}
