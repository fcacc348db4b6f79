/*
 * output_files - a bounded list of files that a program has left behind.
 *
 * Plain data. A hostile program may leave any number of names: the list ends at 10,000, and counts
 * the rest.
 */
#ifndef GLOVEBOX_FS_OUTPUT_FILES_H
#define GLOVEBOX_FS_OUTPUT_FILES_H

#include <stddef.h>
#include <stdint.h>

/* `change` is "new" or "changed", or the reason for refusing it; a literal. */
struct output_file {
	char *path; /* owned; relative to /output; any bytes but NUL */
	uint64_t size_bytes;
	const char *change;
};

struct output_files {
	struct output_file *items;
	size_t count;
	size_t dropped; /* entries beyond those listed */
};

/* Add an entry; copies the path. */
void output_files_add(struct output_files *list, const char *path, uint64_t size_bytes,
		      const char *change);

/* Free its memory; it is an empty list again. */
void output_files_fini(struct output_files *list);

#endif
