/*
 * writer - write tar archives entry by entry, with libarchive behind our own types.
 *
 * The same entries give the same bytes: owners have no names, and times have whole seconds.
 */
#ifndef GLOVEBOX_ROOTFS_ARCHIVE_WRITER_H
#define GLOVEBOX_ROOTFS_ARCHIVE_WRITER_H

#include <stddef.h>

#include "base/err.h"
#include "reader.h"

enum writer_filter { WRITER_PLAIN, WRITER_GZIP, WRITER_ZSTD };

/* Receives a piece of the archive. Returns 0, or -1 with errno. */
typedef int writer_sink(void *context, const void *bytes, size_t length);

struct writer;

/* writer_open - start an archive. @context: borrowed for its life. NULL with *e. */
struct writer *writer_open(enum writer_filter filter, writer_sink *sink, void *context,
			   struct err *e);

/*
 * writer_entry - start the next entry; its content follows with writer_data().
 * @entry  borrowed; a file, directory or link, with the bytes of its content as size.
 */
int writer_entry(struct writer *w, const struct entry *entry, struct err *e);
int writer_data(struct writer *w, const void *bytes, size_t length, struct err *e);

/* End the archive: pass buffered bytes to the sink. The caller still frees the writer. */
int writer_finish(struct writer *w, struct err *e);
void writer_free(struct writer *w); /* NULL is fine */

static inline void writer_auto_free(struct writer **w)
{
	writer_free(*w);
}
#define auto_writer __attribute__((cleanup(writer_auto_free)))

#endif
