/*
 * file_store_record - the metadata of a file: a record of fixed size behind its content.
 *
 * It is written last, and has the size of the content: a file that was cut, or whose end has not
 * reached the disk, has no valid record. Its numbers are in the byte order of the machine, which
 * also reads them.
 *
 * Runs: serve. Needs: nothing; no side effects.
 */
#ifndef GLOVEBOX_STORE_FILE_STORE_RECORD_H
#define GLOVEBOX_STORE_FILE_STORE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/file_store.h"

#define FILE_STORE_RECORD_MARK "glovebox file 1"

struct file_store_record {
	char mark[16];
	uint64_t size_bytes; /* of the content */
	double upload_time;
	char owner[FILE_STORE_OWNER_MAX + 1];
	char filename[FILE_STORE_NAME_MAX + 1];
};

/* Whether a text is a well-formed id. */
bool file_store_record_is_id(const char *text);

/* Make an unguessable id (a version 4 UUID). */
void file_store_record_new_id(char out[FILE_STORE_ID_SIZE]);

/* Whether a text may be the name of an owner. */
bool file_store_record_is_owner(const char *text);

/* The record of a file, as it is written. */
void file_store_record_fill(const struct stored_file *file, struct file_store_record *out);

/*
 * file_store_record_read - check a record, any bytes, and fill in all but the id.
 * @file_bytes  size of the file that ends with it. Errors: ERR_INPUT.
 */
int file_store_record_read(const struct file_store_record *record, uint64_t file_bytes,
			   struct stored_file *out, struct err *e);

#endif
