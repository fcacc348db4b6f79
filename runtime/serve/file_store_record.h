/*
 * file_store_record - the metadata of a file, beside its content: a JSON document of one line.
 *
 *     {"file_id":"...","filename":"a.csv","size_bytes":12,"upload_time":1790000000.5,
 *      "sha256":"...","owner":""}
 *
 * Runs: serve. Needs: nothing; no side effects.
 */
#ifndef GLOVEBOX_SERVE_FILE_STORE_RECORD_H
#define GLOVEBOX_SERVE_FILE_STORE_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "serve/file_store.h"

#define FILE_STORE_RECORD_MAX 4096 /* bytes; real records are shorter */

/* Whether a text is a well-formed id, or hash. Only such texts become paths. */
bool file_store_record_is_id(const char *text);
bool file_store_record_is_sha256(const char *text);

/* Make an unguessable id (a version 4 UUID). */
void file_store_record_new_id(char out[FILE_STORE_ID_SIZE]);

/* Whether a text may be the name of an owner. */
bool file_store_record_is_owner(const char *text);

/*
 * file_store_record_object - the name of a file's content: a hash of its owner and its SHA-256, so
 * owners share no content, and none can find out what another one has.
 */
void file_store_record_object(const struct stored_file *file, char out[DIGEST_HEX]);

/* Append the record. */
void file_store_record_write(const struct stored_file *file, struct buf *out);

/* Parse a record, any bytes. Errors: ERR_INPUT. */
int file_store_record_parse(const char *text, size_t length, struct stored_file *out,
			    struct err *e);

#endif
