/*
 * archive - tar streams out of a container, and into it.
 */
#include "engine/archive.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/tar_header.h"
#include "engine/answer.h"
#include "engine/reply.h"
#include "engine/spool.h"
#include "engine/streaming.h"
#include "loop/clock.h"
#include "web/query.h"

#define STAT       "X-Docker-Container-Path-Stat"
#define HEADER_MAX (1u << 20) /* bytes of headers that extend the first one */

/* Bits of Go's os.FileMode. */
#define GO_DIRECTORY (1u << 31)
#define GO_SYMLINK   (1u << 27)
#define GO_DEVICE    (1u << 26)
#define GO_PIPE      (1u << 25)
#define GO_SETUID    (1u << 23)
#define GO_SETGID    (1u << 22)
#define GO_STICKY    (1u << 20)

/* Owned; NULL: the request is answered. */
static char *archive_path(struct request *r)
{
	char *path = query_text(request_query(r), "path");

	if (path && *path)
		return path;
	free(path);
	request_refuse(r, 400, "bad parameter: 'path' must be given");
	return NULL;
}

/* -- out ------------------------------------------------------------------------------------- */

static uint64_t archive_octal(const char *digits, size_t size)
{
	auto_free char *text = own_strndup(digits, size);

	return strtoull(text, NULL, 8);
}

static uint32_t archive_mode(const struct tar_header *h)
{
	const uint32_t mode = (uint32_t)archive_octal(h->mode, sizeof(h->mode));
	uint32_t out = mode & 0777;

	out |= h->type == '5'                     ? GO_DIRECTORY
	       : h->type == '2'                   ? GO_SYMLINK
	       : h->type == '3' || h->type == '4' ? GO_DEVICE
	       : h->type == '6'                   ? GO_PIPE
						  : 0;
	out |= mode & 04000 ? GO_SETUID : 0;
	out |= mode & 02000 ? GO_SETGID : 0;
	return out | (mode & 01000 ? GO_STICKY : 0);
}

/* Where a link leads: clients go on with that path. Owned. */
static char *archive_target(const char *path, const struct tar_header *h)
{
	auto_free char *link = own_strndup(h->link, sizeof(h->link));
	const char *slash = strrchr(path, '/');

	if (h->type != '2')
		return own_strdup("");
	return *link == '/' ? own_strdup(link)
			    : own_printf("%.*s/%s", slash ? (int)(slash - path) : 0, path, link);
}

static void archive_set_stat(struct request *r, const char *path, const struct tar_header *h)
{
	size_t end = strlen(path);
	size_t begin;
	auto_free char *name = NULL;
	auto_free char *target = archive_target(path, h);
	char modified[CLOCK_UTC_SIZE];
	auto_buf struct buf json = {0};
	auto_buf struct buf header = {0};

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (begin = end; begin && path[begin - 1] != '/';)
		begin--;
	name = own_strndup(path + begin, end - begin);
	clock_utc_at(archive_octal(h->mtime, sizeof(h->mtime)) * 1000, modified);
	json_put_begin(&json, NULL, '{');
	json_put_text(&json, "name", *name ? name : "/");
	json_put_uint(&json, "size",
		      h->type == '5' ? 4096 : archive_octal(h->size, sizeof(h->size)));
	json_put_uint(&json, "mode", archive_mode(h));
	json_put_text(&json, "mtime", modified);
	json_put_text(&json, "linkTarget", target);
	json_put_end(&json, '}');
	encode_base64(json.data, json.length, &header);
	request_set_header(r, STAT, buf_string(&header));
}

/* The first header that does not extend another one; NULL: it has not come yet. */
static const struct tar_header *archive_first(const struct buf *tar)
{
	size_t at = 0;

	while (at + TAR_BLOCK <= tar->length) {
		const struct tar_header *h = (const struct tar_header *)(tar->data + at);
		const uint64_t size = archive_octal(h->size, sizeof(h->size));

		if (h->type != 'x' && h->type != 'g' && h->type != 'L' && h->type != 'K')
			return h;
		if (size > tar->length)
			return NULL;
		at += TAR_BLOCK + (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
	}
	return NULL;
}

static enum streaming_begin archive_begin(struct request *r, const struct buf *first, void *context)
{
	const struct tar_header *h = archive_first(first);

	if (!h && first->length > HEADER_MAX) {
		request_refuse(r, 500, "the archive has no header in its first %u KiB",
			       HEADER_MAX >> 10);
		return BEGIN_ANSWERED;
	}
	if (!h)
		return BEGIN_MORE;
	archive_set_stat(r, context, h);
	if (strcmp(r->method, "HEAD") != 0)
		return BEGIN_STREAM;
	answer_nothing(r, 200);
	return BEGIN_ANSWERED;
}

void archive_get(struct request *r)
{
	auto_record struct record found = {.dir = -1};
	char *path = archive_path(r);
	const struct streaming_wish wish = {.out = true,
					    .type = "application/x-tar",
					    .begin = archive_begin,
					    .drop = free,
					    .context = path};
	auto_list struct list words = {0};

	if (!path)
		return;
	if (!answer_find(r, &found)) {
		free(path);
		return;
	}
	reply_words(&words, "cp", "--");
	list_addf(&words, "%s:%s", found.id, path);
	list_add(&words, "-");
	streaming_run(r, &words, &wish);
}

/* -- in -------------------------------------------------------------------------------------- */

/* gzip, bzip2, xz or zstd. */
static bool archive_is_compressed(int fd)
{
	static const struct {
		const char *magic;
		size_t length;
	} kinds[] = {
		{"\x1f\x8b",              2},
		{"BZh",                   3},
		{"\xfd"
		 "7zXZ", 5},
		{"\x28\xb5\x2f\xfd",      4}
        };
	char head[8] = {0};

	if (pread(fd, head, sizeof(head), 0) < 0)
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!memcmp(head, kinds[i].magic, kinds[i].length))
			return true;
	}
	return false;
}

static void archive_unpacked(struct request *r, const struct verb_result *result, void *data)
{
	(void)result;
	(void)data;
	answer_nothing(r, 200);
}

static void archive_run(struct request *r, const struct record *found, const char *path, int fd)
{
	auto_list struct list words = {0};

	reply_words(&words, "cp", "--", "-");
	list_addf(&words, "%s:%s", found->id, path);
	reply_run(r, &words, fd, archive_unpacked, NULL, NULL);
}

void archive_put(struct request *r)
{
	auto_record struct record found = {.dir = -1};
	auto_fd int fd = spool_end(r);
	auto_free char *path = fd < 0 ? NULL : archive_path(r);

	if (!path || !answer_find(r, &found))
		return;
	if (archive_is_compressed(fd))
		request_refuse(r, 400, "the archive is compressed: send it as tar");
	else
		archive_run(r, &found, path, take_fd(&fd));
}
