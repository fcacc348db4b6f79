/*
 * tar - what a member of a tar stream is, and how its header lies in a block.
 *
 * The layout is that of POSIX ustar; GNU's and that of old tars (v7) have their fields in the same
 * places as far as we read them.
 *
 * Pure. Runs: mover. Needs: nothing.
 */
#ifndef GLOVEBOX_MOVER_TAR_H
#define GLOVEBOX_MOVER_TAR_H

#include <stdbool.h>
#include <stddef.h>

#define TAR_BLOCK     512
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

struct tar_header {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[6];
	char version[2];
	char owner[32];
	char group[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char rest[12];
};

_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "a header is a block");

#endif
