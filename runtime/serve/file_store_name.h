/*
 * file_store_name - names of files as strangers send them: kept in records, and told in headers.
 *
 * Runs: serve. Needs: nothing; no side effects.
 */
#ifndef GLOVEBOX_SERVE_FILE_STORE_NAME_H
#define GLOVEBOX_SERVE_FILE_STORE_NAME_H

#include <stddef.h>

#include "serve/file_store.h"

#define FILE_STORE_HEADER_SIZE 1200

/*
 * file_store_name_clean - any bytes as a name: U+FFFD for what is not UTF-8, '_' for control
 * characters, cut between characters after FILE_STORE_NAME_MAX bytes. Nothing at all is "unnamed".
 * Slashes stay: an output's name is its path below /workspace.
 *
 * @sent  may be NULL.
 */
void file_store_name_clean(const char *sent, size_t length, char out[FILE_STORE_NAME_MAX + 1]);

/*
 * file_store_name_for_header - the value of Content-Disposition (RFC 6266): for every client a name
 * in quotes, in harmless ASCII, and the exact one for those that know RFC 8187.
 *
 * @filename  a clean one. Only what follows its last slash is told: a download is no path.
 */
void file_store_name_for_header(const char *filename, char out[FILE_STORE_HEADER_SIZE]);

#endif
