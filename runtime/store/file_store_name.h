/*
 * file_store_name - names of files as clients send them, made fit for records and headers.
 *
 * Runs: serve. Needs: nothing; no side effects.
 */
#ifndef GLOVEBOX_STORE_FILE_STORE_NAME_H
#define GLOVEBOX_STORE_FILE_STORE_NAME_H

#include <stddef.h>

#include "store/file_store.h"

#define FILE_STORE_HEADER_SIZE 1200

/*
 * file_store_name_clean - turn any bytes into a name: U+FFFD for invalid UTF-8, '_' for control
 * characters, cut between characters at FILE_STORE_NAME_MAX bytes; "unnamed" if empty. Slashes
 * stay: an output's name is its path below /workspace.
 *
 * @sent  may be NULL.
 */
void file_store_name_clean(const char *sent, size_t length, char out[FILE_STORE_NAME_MAX + 1]);

/*
 * file_store_name_for_header - the value of Content-Disposition (RFC 6266): a quoted name of
 * harmless ASCII for every client, and the exact name for clients that know RFC 8187.
 *
 * @filename  a clean one; only the part behind its last slash is sent.
 */
void file_store_name_for_header(const char *filename, char out[FILE_STORE_HEADER_SIZE]);

#endif
