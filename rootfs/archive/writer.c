/*
 * writer - write tar archives entry by entry, with libarchive behind our own types.
 */
#include "writer.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

struct writer {
	struct archive *archive;
	struct archive_entry *entry;
	writer_sink *sink;
	void *context;
	uint64_t left; /* of the current entry */
};

static la_ssize_t writer_pass_on(struct archive *a, void *context, const void *bytes, size_t length)
{
	const struct writer *w = context;

	if (!w->sink(w->context, bytes, length))
		return (la_ssize_t)length;
	archive_set_error(a, errno, "%s", strerror(errno));
	return -1;
}

static int writer_fail(const struct writer *w, struct err *e)
{
	const char *why = archive_error_string(w->archive);

	return err_set(e, ERR_SYSTEM, "write the archive: %.200s", why ? why : "unknown error");
}

static int writer_add_filter(struct archive *a, enum writer_filter filter)
{
	switch (filter) {
	case WRITER_GZIP:
		/* Otherwise the header would contain the time. */
		return archive_write_add_filter_gzip(a) != ARCHIVE_OK ||
		       archive_write_set_filter_option(a, "gzip", "timestamp", NULL) != ARCHIVE_OK;
	case WRITER_ZSTD:
		return archive_write_add_filter_zstd(a) != ARCHIVE_OK;
	case WRITER_PLAIN:
		break;
	}
	return 0;
}

struct writer *writer_open(enum writer_filter filter, writer_sink *sink, void *context,
			   struct err *e)
{
	auto_writer struct writer *w = own_zeroed(1, sizeof(*w));

	w->sink = sink;
	w->context = context;
	w->archive = archive_write_new();
	w->entry = archive_entry_new();
	if (!w->archive || !w->entry)
		abort();
	if (archive_write_set_format_pax_restricted(w->archive) != ARCHIVE_OK ||
	    writer_add_filter(w->archive, filter) ||
	    archive_write_set_bytes_in_last_block(w->archive, 1) != ARCHIVE_OK ||
	    archive_write_open(w->archive, w, NULL, writer_pass_on, NULL) != ARCHIVE_OK) {
		writer_fail(w, e);
		return NULL;
	}
	return take_ptr(&w);
}

static unsigned writer_file_type(enum entry_type type)
{
	if (type == ENTRY_DIRECTORY)
		return AE_IFDIR;
	return type == ENTRY_SYMLINK ? AE_IFLNK : AE_IFREG;
}

int writer_entry(struct writer *w, const struct entry *entry, struct err *e)
{
	archive_entry_clear(w->entry);
	archive_entry_set_pathname(w->entry, entry->path);
	archive_entry_set_filetype(w->entry, writer_file_type(entry->type));
	archive_entry_set_perm(w->entry, entry->mode);
	archive_entry_set_uid(w->entry, entry->uid);
	archive_entry_set_gid(w->entry, entry->gid);
	archive_entry_set_mtime(w->entry, entry->mtime.tv_sec, 0);
	archive_entry_set_size(w->entry, (la_int64_t)entry->size);
	if (entry->type == ENTRY_SYMLINK)
		archive_entry_set_symlink(w->entry, entry->link);
	if (entry->type == ENTRY_HARDLINK)
		archive_entry_set_hardlink(w->entry, entry->link);
	w->left = entry->type == ENTRY_FILE ? entry->size : 0;
	if (archive_write_header(w->archive, w->entry) == ARCHIVE_OK)
		return 0;
	writer_fail(w, e);
	return err_prefix(e, "%.300s", entry->path);
}

int writer_data(struct writer *w, const void *bytes, size_t length, struct err *e)
{
	if (archive_write_data(w->archive, bytes, length) != (la_ssize_t)length)
		return writer_fail(w, e);
	w->left -= length < w->left ? length : w->left;
	return 0;
}

int writer_finish(struct writer *w, struct err *e)
{
	return archive_write_close(w->archive) == ARCHIVE_OK ? 0 : writer_fail(w, e);
}

static int writer_drop(void *context, const void *bytes, size_t length)
{
	(void)context;
	(void)bytes;
	(void)length;
	return 0;
}

/*
 * Discard the writer without writing more. libarchive frees everything only when it ends an
 * archive, and pads an incomplete entry with zeros: so do not let it end the entry.
 */
void writer_free(struct writer *w)
{
	if (!w)
		return;
	archive_entry_free(w->entry);
	if (w->archive) {
		w->sink = writer_drop;
		if (w->left)
			archive_write_fail(w->archive);
		archive_write_free(w->archive);
	}
	free(w);
}
