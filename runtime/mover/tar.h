/*
 * tar - what a member of a tar stream is.
 *
 * The layout of a header is that of POSIX ustar; GNU's and that of old tars (v7) have their
 * fields in the same places as far as we read them.
 *
 * Pure. Runs: mover. Needs: nothing.
 */
#ifndef GLOVEBOX_MOVER_TAR_H
#define GLOVEBOX_MOVER_TAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/tar_header.h"

#define TAR_NAME_MOST 4095         /* bytes of a name, as the kernel's PATH_MAX */
#define TAR_EXTRA     (64 * 1024L) /* bytes of a header that goes before another; more is refused */
#define TAR_MODE      0777U        /* without set-uid, set-gid and sticky */

enum tar_kind {
	TAR_FILE,
	TAR_DIRECTORY,
	TAR_LINK,
	TAR_HARD_LINK,
	TAR_SPECIAL, /* device, FIFO */
	TAR_SPARSE,  /* a file with a map of its holes, in one of GNU's ways */
	TAR_UNKNOWN,
	/* Headers that say more about the next member. */
	TAR_PAX,
	TAR_PAX_GLOBAL,
	TAR_LONG_NAME,
	TAR_LONG_LINK,
	/* A block of zeros. */
	TAR_END,
};

/* Fields of which a header before that of a member has said something. */
#define TAR_GIVEN_NAME   1U
#define TAR_GIVEN_LINK   2U
#define TAR_GIVEN_SIZE   4U
#define TAR_GIVEN_MTIME  8U
#define TAR_GIVEN_SPARSE 16U

struct tar_entry {
	enum tar_kind kind;
	unsigned given;    /* bits of TAR_GIVEN; 0 at the start of each member */
	unsigned mode;     /* at most TAR_MODE */
	long long size;    /* of a file; never negative */
	long long follows; /* bytes of data in the stream, without what fills the last block */
	long long mtime;   /* seconds since 1970 */
	long mtime_ns;
	bool goes_on; /* TAR_SPARSE: blocks of its map follow, of which each says the same */
	char name[TAR_NAME_MOST + 1]; /* as in the stream */
	char link[TAR_NAME_MOST + 1]; /* of a link its text, of a hard link another member's name */
};

#endif
