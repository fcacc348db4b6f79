/*
 * reader - read tar archives and write mtree manifests with SHA-256, with libarchive behind our own
 * types.
 *
 * Only reader.c and writer.c use libarchive. Names and contents of entries are hostile: it touches
 * the file system only through the given descriptors.
 */
#ifndef GLOVEBOX_ROOTFS_ARCHIVE_READER_H
#define GLOVEBOX_ROOTFS_ARCHIVE_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "base/err.h"

enum entry_type { ENTRY_FILE, ENTRY_DIRECTORY, ENTRY_SYMLINK, ENTRY_HARDLINK, ENTRY_SPECIAL };

/* Strings are borrowed until the next reader_next(); path NULL: not representable. */
struct entry {
	enum entry_type type;
	const char *path;
	const char *link;    /* target of a symbolic or hard link, else NULL */
	const char *special; /* type of a special entry: "device", "fifo", "socket" */
	mode_t mode;         /* permission bits, setuid and setgid included */
	uint32_t uid;        /* for writer_entry() only: ids of a foreign archive mean nothing */
	uint32_t gid;
	uint64_t size;
	struct timespec mtime;
};

struct reader;

/*
 * reader_open - start reading a tar archive, compressed by gzip, bzip2, xz, zstd or not at all.
 * @fd    borrowed; read from its current position to its end, may be a pipe.
 * @name  for messages; borrowed for the reader's life.
 * Returns NULL with *e. End with reader_close().
 */
struct reader *reader_open(int fd, const char *name, struct err *e);
void reader_close(struct reader *r);

/* 1 and *out, 0 at the end, -1 with *e (damaged, truncated, interrupted). */
int reader_next(struct reader *r, struct entry *out, struct err *e);

/* One piece of the current entry's content: 1, 0 at its end, -1 with *e. */
int reader_block(struct reader *r, const void **data, size_t *length, uint64_t *offset,
		 struct err *e);

struct mtree;

/* Write an mtree document to fd (borrowed). Entries are sorted by path. */
struct mtree *mtree_start(int fd, struct err *e);

/*
 * @path  "./rootfs/usr/bin/env"
 * @st    its type, mode, owner and size are used
 * @link  a symbolic link's target, else NULL
 * @data  a regular file's content, read to its end; borrowed; -1 otherwise
 */
int mtree_add(struct mtree *m, const char *path, const struct stat *st, const char *link, int data,
	      struct err *e);

/* Ends the document; frees m in any case. */
int mtree_finish(struct mtree *m, struct err *e);
void mtree_discard(struct mtree *m);

/* SHA-256 of the rest of fd as 64 hex digits and a NUL. */
int digest_fd(int fd, char out[65], struct err *e);

static inline void reader_auto_close(struct reader **r)
{
	reader_close(*r);
}
#define auto_reader __attribute__((cleanup(reader_auto_close)))

#endif
