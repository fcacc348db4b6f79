/*
 * extract - unpack a hostile archive into a directory, and nowhere else.
 *
 * We open every parent by openat2(RESOLVE_IN_ROOT): a symbolic link of an earlier entry or layer
 * leads to a place inside the tree, as it will at run time (layers do write bin/x through /bin ->
 * usr/bin), never outside. We create leaves by descriptor, exclusively, without following links.
 *
 * It skips, with a line on stderr: absolute names and "..", dangling hard links, devices, fifos,
 * sockets. It never applies the archive's owners and extended attributes. extract_mode() explains
 * the permission bits.
 */
#ifndef GLOVEBOX_ROOTFS_ARCHIVE_EXTRACT_H
#define GLOVEBOX_ROOTFS_ARCHIVE_EXTRACT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "reader.h"

#define EXTRACT_ENTRIES_MAX   2000000
#define EXTRACT_BYTES_DEFAULT (20ull << 30)

/* The two passes over a layer: whiteouts hide files of lower layers, never of their own. */
enum extract_pass {
	EXTRACT_ALL,       /* not a layer, or one of image save: ".wh." begins ordinary names */
	EXTRACT_WHITEOUTS, /* remove hidden files, create none */
	EXTRACT_CONTENT,   /* all but the whiteouts */
};

/* Where entries go in a root in which programs will run before it becomes an image. */
struct extract_place {
	const char *prefix; /* relative; "": the root */
	const char *alone;  /* whole path of a first entry that is a file; NULL: like others */
	uid_t uid;
	gid_t gid;
	mode_t mode; /* of all files and directories, if set */
	bool has_mode;
};

struct extract {
	int root_fd; /* borrowed */
	uint64_t bytes_max;
	const struct extract_place *place; /* NULL: an image, owned by its user */
	bool is_saved;  /* made by image save: permission bits are already an import's */
	uint64_t bytes; /* so far, over all archives: sparse files count in full */
	uint64_t entries;
	uint64_t left_out; /* skipped entries; the first few have a line */
	uint64_t cleared;  /* files that lost setuid or setgid */
	char *parent_path; /* path of the descriptor below: most entries follow a sibling */
	int parent_fd;
};

void extract_init(struct extract *x, int root_fd, uint64_t bytes_max);
void extract_fini(struct extract *x);

/*
 * extract_archive - apply the rest of one archive.
 * Errors: ERR_INPUT: the archive is damaged or beyond a limit (the text names it). On error the
 * tree is incomplete, and the caller removes it.
 */
int extract_archive(struct extract *x, struct reader *r, enum extract_pass pass, struct err *e);

/* Print the closing lines on stderr: how many more entries were skipped than shown. */
void extract_report(const struct extract *x);

#endif
