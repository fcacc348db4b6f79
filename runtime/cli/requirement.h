/*
 * requirement - what pip may be asked for when only wheels are to be fetched: names of an index.
 *
 * To pip a requirement can also be a URL, a repository or a directory, and it executes what lies
 * there to learn what that needs, --only-binary or not. A file can hold options as well, among them
 * --no-binary. So what is passed on is a name, with extras, versions and markers (PEP 508), and of
 * the options --hash.
 *
 * Pure.
 */
#ifndef GLOVEBOX_CLI_REQUIREMENT_H
#define GLOVEBOX_CLI_REQUIREMENT_H

#include "base/buf.h"
#include "base/err.h"

/* One of the command line. ERR_INPUT says what it is instead. */
int requirement_check(const char *text, struct err *e);

/*
 * requirement_read - a file of them, in pip's format.
 *
 * @name  of the file, for the message, which has the line's number, too.
 * @out   what it says is appended, without comments: pip reads of these in which encoding they are,
 *        and ends lines at characters that few people know.
 */
int requirement_read(const char *text, const char *name, struct buf *out, struct err *e);

#endif
