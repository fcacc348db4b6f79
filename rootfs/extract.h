/*
 * extract - unpack a hostile archive into a directory, and nothing outside it.
 *
 * Every parent is opened by openat2(RESOLVE_IN_ROOT): a symbolic link that an
 * earlier entry or layer planted leads to a place inside the tree, as it will
 * at run time (layers do write bin/x through /bin -> usr/bin), never outside.
 * Leaves are created by descriptor, exclusively, following nothing.
 *
 * Left out, with a line on stderr: absolute names and "..", hard links that
 * lead nowhere, devices, fifos, sockets. Never applied: the archive's owners,
 * extended attributes. What becomes of permission bits is explained at extract_mode().
 */
#ifndef GLOVEBOX_ROOTFS_EXTRACT_H
#define GLOVEBOX_ROOTFS_EXTRACT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "reader.h"

#define EXTRACT_ENTRIES_MAX   2000000
#define EXTRACT_BYTES_DEFAULT (20ull << 30)

/* The two passes over a layer: whiteouts hide files of lower layers, never of their own. */
enum extract_pass {
	EXTRACT_ALL,       /* no layer, or one of image save: ".wh." begins ordinary names */
	EXTRACT_WHITEOUTS, /* remove what the layer hides, create nothing */
	EXTRACT_CONTENT,   /* all but the whiteouts */
};

/* Where entries go in a root in which programs will run before it is an image. */
struct extract_place {
	const char *prefix; /* relative; "": the root */
	const char *alone;  /* the whole path of a first entry that is a file; NULL: as others */
	uid_t uid;
	gid_t gid;
	mode_t mode; /* of all files and directories, if it is set */
	bool has_mode;
};

struct extract {
	int root_fd; /* borrowed */
	uint64_t bytes_max;
	const struct extract_place *place; /* NULL: it is an image, owned by its user */
	bool is_saved;  /* by image save: permission bits are what an import has made of them */
	uint64_t bytes; /* so far, over all archives: sparse files count in full */
	uint64_t entries;
	uint64_t left_out; /* entries; a line was printed for the first few */
	uint64_t cleared;  /* files that lost setuid or setgid */
	char *parent_path; /* path of the descriptor below: most entries follow a sibling */
	int parent_fd;
};

void extract_init(struct extract *x, int root_fd, uint64_t bytes_max);
void extract_fini(struct extract *x);

/*
 * extract_archive - apply the rest of one archive.
 * Errors: ERR_INPUT when the archive is damaged or beyond a limit (the text names it).
 * On error the tree is incomplete, and the caller removes it.
 */
int extract_archive(struct extract *x, struct reader *r, enum extract_pass pass, struct err *e);

/* Print the closing lines on stderr: how much was left out beyond the lines shown. */
void extract_report(const struct extract *x);

#endif
