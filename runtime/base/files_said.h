/*
 * files_said - what mover says of the files in a sandbox, and how a content comes to it.
 *
 * A layout and no code: mover, which has no libc, writes what its client reads. To the client it is
 * what a stranger says: it may be cut, and each number may be any (workspace/files_answer.h).
 */
#ifndef GLOVEBOX_BASE_FILES_SAID_H
#define GLOVEBOX_BASE_FILES_SAID_H

#include <stdint.h>

#define FILES_SAID_PATH    320        /* bytes of a path in an error; the rest is cut */
#define FILES_CONTENT_MOST (60 << 10) /* bytes behind one struct files_piece: both fit a pipe */

enum files_wrong {
	FILES_FINE,
	FILES_FAILED,     /* `error` says how */
	FILES_NOT_WANTED, /* of another type: `mode` */
	FILES_TOO_LARGE,  /* `size`, or with it all together */
	FILES_TOO_MANY,
	FILES_CUT,  /* the content has ended without its last piece */
	FILES_LOST, /* changes came faster than they were read */
};

/* On descriptor 2, once, in the end. */
struct files_said {
	uint32_t wrong; /* enum files_wrong */
	uint32_t error; /* errno */
	uint32_t mode;  /* st_mode of the file that was asked for */
	uint32_t entries;
	uint32_t unread;
	uint32_t is_cut; /* a listing */
	uint64_t size;   /* of the file when it was opened */
	uint64_t bytes;  /* written; fewer: it shrank */
	uint32_t has_grown;
	char path[FILES_SAID_PATH]; /* where it went wrong; "": at what was asked for */
};

/* One entry of a listing on descriptor 1; behind it the bytes of its path and of a link's target.
 */
struct files_entry {
	uint64_t size;
	uint64_t allocated;
	int64_t mtime;
	uint32_t mode;
	uint16_t path_bytes;
	uint16_t target_bytes;
};

enum files_change_kind {
	FILES_WATCHED, /* the first: what changes from now on is told */
	FILES_CREATED, /* or moved to there */
	FILES_WRITTEN,
	FILES_REMOVED,
	FILES_MOVED, /* away */
	FILES_MODE,  /* or owner, times, links */
};

/* One change on descriptor 1; behind it the bytes of its path. "": the directory itself. */
struct files_change {
	uint32_t kind; /* enum files_change_kind */
	uint16_t is_directory;
	uint16_t path_bytes;
};

/* On descriptor 0: so many bytes of the content follow. 0: it is complete. */
struct files_piece {
	uint32_t bytes;
};

#endif
