/*
 * document - a JSON file by which an operator decides what others may do.
 *
 * Who can write it can give himself rights, so it is judged by its descriptor. And it must mean one
 * thing only: a member that stands there twice is an error.
 *
 * Touches the OS. Runs: serve. Needs: read access to the file.
 */
#ifndef GLOVEBOX_SERVE_DOCUMENT_H
#define GLOVEBOX_SERVE_DOCUMENT_H

#include <sys/types.h>

#include "base/err.h"
#include "base/json.h"

#define DOCUMENT_BYTES (1u << 20) /* most of a file */

/*
 * document_read - read, check and parse it.
 *
 * Owned: json_free(). NULL with *e, whose text names the file; e->number is ENOENT if there is
 * none.
 */
struct json *document_read(const char *path, struct err *e);

/*
 * document_judge - it is ours or root's, and others have none of these rights.
 *
 * @fd      borrowed. @path  for the message.
 * @rights  of group and others, as in a mode: 022, 077.
 * Errors: ERR_INPUT with the remedy.
 */
int document_judge(int fd, const char *path, mode_t rights, struct err *e);

#endif
