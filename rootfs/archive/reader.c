/*
 * reader - read tar archives and write mtree manifests with SHA-256, with libarchive behind our own
 * types.
 */
#include "reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "interrupt.h"

#define CHUNK_BYTES (128u << 10)

struct reader {
	struct archive *archive;
	const char *name;
	int fd;
	char chunk[CHUNK_BYTES];
};

struct mtree {
	struct archive *archive;
	struct archive_entry *entry;
};

/* libarchive's own callback would retry EINTR for ever: a signal must end a read from a pipe. */
static la_ssize_t reader_read_chunk(struct archive *a, void *context, const void **data)
{
	struct reader *r = context;
	ssize_t n;

	do
		n = interrupt_signal() ? 0 : read(r->fd, r->chunk, sizeof(r->chunk));
	while (n < 0 && errno == EINTR);
	if (interrupt_signal()) {
		archive_set_error(a, EINTR, "interrupted");
		return ARCHIVE_FATAL;
	}
	if (n < 0)
		archive_set_error(a, errno, "%s", strerror(errno));
	*data = r->chunk;
	return n;
}

/* Without this libarchive reads every byte that it skips. Pipes cannot seek: it reads them. */
static la_int64_t reader_skip_chunk(struct archive *a, void *context, la_int64_t request)
{
	struct reader *r = context;
	off_t here = lseek(r->fd, 0, SEEK_CUR);
	struct stat st;

	(void)a;
	request -= request % 512;
	if (here < 0 || request <= 0 || fstat(r->fd, &st) || !S_ISREG(st.st_mode) ||
	    request > st.st_size - here)
		return 0;
	return lseek(r->fd, request, SEEK_CUR) < 0 ? 0 : request;
}

static int reader_fail(const struct reader *r, struct err *e)
{
	const char *why = archive_error_string(r->archive);

	return err_input(e, "%.200s is not a usable archive: %.200s", r->name,
			 why ? why : "unknown error");
}

struct reader *reader_open(int fd, const char *name, struct err *e)
{
	struct reader *r = own_zeroed(1, sizeof(*r));

	r->archive = archive_read_new();
	if (!r->archive)
		abort();
	r->fd = fd;
	r->name = name;
	/* Only formats that libarchive decodes itself: its other filters would start programs. */
	archive_read_support_filter_gzip(r->archive);
	archive_read_support_filter_bzip2(r->archive);
	archive_read_support_filter_xz(r->archive);
	archive_read_support_filter_zstd(r->archive);
	archive_read_support_format_tar(r->archive);
	archive_read_set_read_callback(r->archive, reader_read_chunk);
	archive_read_set_skip_callback(r->archive, reader_skip_chunk);
	archive_read_set_callback_data(r->archive, r);
	if (archive_read_open1(r->archive) != ARCHIVE_OK) {
		reader_fail(r, e);
		reader_close(r);
		return NULL;
	}
	return r;
}

void reader_close(struct reader *r)
{
	if (r)
		archive_read_free(r->archive);
	free(r);
}

static void reader_set_type(struct archive_entry *entry, struct entry *out)
{
	const char *hard = archive_entry_hardlink(entry);

	if (!hard)
		hard = archive_entry_hardlink_utf8(entry);
	if (hard) {
		out->type = ENTRY_HARDLINK;
		out->link = hard;
		return;
	}
	switch (archive_entry_filetype(entry)) {
	case AE_IFREG:
		out->type = ENTRY_FILE;
		return;
	case AE_IFDIR:
		out->type = ENTRY_DIRECTORY;
		return;
	case AE_IFLNK:
		out->type = ENTRY_SYMLINK;
		out->link = archive_entry_symlink(entry);
		if (!out->link)
			out->link = archive_entry_symlink_utf8(entry);
		return;
	case AE_IFIFO:
		out->special = "a fifo";
		break;
	case AE_IFSOCK:
		out->special = "a socket";
		break;
	default:
		out->special = "a device";
	}
	out->type = ENTRY_SPECIAL;
}

int reader_next(struct reader *r, struct entry *out, struct err *e)
{
	struct archive_entry *entry;
	int status = archive_read_next_header(r->archive, &entry);

	if (status == ARCHIVE_EOF)
		return 0;
	/* A warning concerns a name that the locale cannot represent: we still have its bytes. */
	if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
		return reader_fail(r, e);
	*out = (struct entry){
		.path = archive_entry_pathname(entry),
		.mode = archive_entry_perm(entry),
		.size = archive_entry_size(entry) > 0 ? (uint64_t)archive_entry_size(entry) : 0,
		.mtime = {.tv_sec = archive_entry_mtime(entry),
			  .tv_nsec = archive_entry_mtime_nsec(entry)},
	};
	if (!out->path)
		out->path = archive_entry_pathname_utf8(entry);
	reader_set_type(entry, out);
	return 1;
}

int reader_block(struct reader *r, const void **data, size_t *length, uint64_t *offset,
		 struct err *e)
{
	la_int64_t at;
	int status = archive_read_data_block(r->archive, data, length, &at);

	if (status == ARCHIVE_EOF)
		return 0;
	if (status != ARCHIVE_OK || at < 0)
		return reader_fail(r, e);
	*offset = (uint64_t)at;
	return 1;
}

static struct mtree *reader_mtree_new(void)
{
	struct mtree *m = own_zeroed(1, sizeof(*m));

	m->archive = archive_write_new();
	m->entry = archive_entry_new();
	if (!m->archive || !m->entry)
		abort();
	archive_write_set_format_mtree(m->archive);
	archive_write_set_options(m->archive,
				  "!all,type,mode,uid,gid,size,link,sha256,!use-set,!indent");
	archive_write_set_bytes_in_last_block(m->archive, 1);
	return m;
}

static int reader_mtree_fail(struct mtree *m, struct err *e)
{
	const char *why = archive_error_string(m->archive);

	return err_set(e, ERR_SYSTEM, "write manifest: %.200s", why ? why : "unknown error");
}

struct mtree *mtree_start(int fd, struct err *e)
{
	struct mtree *m = reader_mtree_new();

	if (archive_write_open_fd(m->archive, fd) == ARCHIVE_OK)
		return m;
	reader_mtree_fail(m, e);
	mtree_discard(m);
	return NULL;
}

void mtree_discard(struct mtree *m)
{
	if (!m)
		return;
	archive_entry_free(m->entry);
	archive_write_free(m->archive);
	free(m);
}

static int reader_copy_data(struct mtree *m, int fd, struct err *e)
{
	char chunk[CHUNK_BYTES];

	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (interrupt_check(e))
			return -1;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read file");
		if (n == 0)
			return 0;
		if (archive_write_data(m->archive, chunk, (size_t)n) < 0)
			return reader_mtree_fail(m, e);
	}
}

int mtree_add(struct mtree *m, const char *path, const struct stat *st, const char *link, int data,
	      struct err *e)
{
	archive_entry_clear(m->entry);
	archive_entry_copy_stat(m->entry, st);
	/* The number of hard links is not part of the content. */
	archive_entry_set_nlink(m->entry, 1);
	archive_entry_set_pathname(m->entry, path);
	if (link)
		archive_entry_set_symlink(m->entry, link);
	if (archive_write_header(m->archive, m->entry) != ARCHIVE_OK)
		return reader_mtree_fail(m, e);
	if (data >= 0 && reader_copy_data(m, data, e))
		return err_prefix(e, "%s", path);
	if (archive_write_finish_entry(m->archive) != ARCHIVE_OK)
		return reader_mtree_fail(m, e);
	return 0;
}

int mtree_finish(struct mtree *m, struct err *e)
{
	int status = archive_write_close(m->archive) == ARCHIVE_OK ? 0 : reader_mtree_fail(m, e);

	mtree_discard(m);
	return status;
}

/* libarchive returns hashes only in an mtree: so write one with a single entry. */
int digest_fd(int fd, char out[65], struct err *e)
{
	struct mtree *m = reader_mtree_new();
	char text[1024] = "";
	size_t used = 0;
	struct stat st;
	const char *hex;
	int status;

	if (archive_write_open_memory(m->archive, text, sizeof(text) - 1, &used) != ARCHIVE_OK ||
	    fstat(fd, &st)) {
		mtree_discard(m);
		return err_set(e, ERR_SYSTEM, "hash: cannot begin");
	}
	status = mtree_add(m, "./x", &st, NULL, fd, e);
	if (status) {
		mtree_discard(m);
		return -1;
	}
	if (mtree_finish(m, e))
		return -1;
	hex = strstr(text, "sha256digest=");
	if (!hex || strspn(hex + 13, "0123456789abcdef") != 64)
		return err_set(e, ERR_SYSTEM, "hash: libarchive was built without SHA-256");
	memcpy(out, hex + 13, 64);
	out[64] = '\0';
	return 0;
}
