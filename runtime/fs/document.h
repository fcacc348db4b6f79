/*
 * document - a JSON file of the operator's that decides what clients may do.
 *
 * A writer of the file could give himself rights, so its owner and mode are judged by the open
 * descriptor. A duplicate member is an error: the file must have one meaning.
 *
 * Touches the OS. Runs: serve. Needs: read access to the file.
 */
#ifndef GLOVEBOX_FS_DOCUMENT_H
#define GLOVEBOX_FS_DOCUMENT_H

#include <sys/types.h>

#include "base/err.h"
#include "base/json.h"

#define DOCUMENT_BYTES (1u << 20) /* largest file */

/*
 * document_read - read, judge and parse a file.
 *
 * Owned: json_free(). NULL with *e, whose text names the file; e->number is ENOENT if it is
 * missing.
 */
struct json *document_read(const char *path, struct err *e);

/*
 * document_judge - check that the owner is this user or root, and that others lack @rights.
 *
 * @fd      borrowed. @path  for the message.
 * @rights  denied to group and others, as mode bits: 022, 077.
 * Errors: ERR_INPUT with the remedy.
 */
int document_judge(int fd, const char *path, mode_t rights, struct err *e);

#endif
