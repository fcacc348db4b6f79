/*
 * say - print untrusted text within our lines, safe for a terminal (base/escape.h).
 *
 * Use it for names of files, images and sessions, variables, labels: for all text that a program in
 * a sandbox, an archive, a server or another user may have chosen. Errors pass through
 * err_string().
 */
#ifndef GLOVEBOX_BASE_SAY_H
#define GLOVEBOX_BASE_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"

/* Print a text within a line. */
void say_line(FILE *to, const char *text);
void say_bytes(FILE *to, const char *bytes, size_t length);

/* Print it in a column of at least `width` bytes. */
void say_column(FILE *to, int width, const char *text);

/* Print "glovebox: " and a line on stderr. */
void say_warning(const char *text);
void say_error(const struct err *e);

/*
 * Find the message in a sibling program's stderr, as say_error() prints it: the first line, without
 * "glovebox: ". Returns a part of @text; @length: its bytes.
 */
const char *say_heard(const char *text, int *length);

/* Whether a descriptor's output becomes entries of systemd's journal (systemd.exec(5)). */
bool say_is_journal(int fd);

/* Print a text of several lines; newlines stay. Large texts are not copied. */
void say_lines(FILE *to, const char *text);

/*
 * say_json - write untrusted JSON: the same values, in one line of printable ASCII.
 *
 * @json  valid UTF-8 (json_check_strict()). Characters beyond ASCII occur only in strings and
 *        become \uXXXX; line ends occur only between tokens and become spaces.
 * Returns 0, or -1 with errno. Large texts are not copied.
 */
int say_json(int fd, const struct buf *json);

/* Write bytes as buf_json_string() does. 0, or -1 with errno. Large texts are not copied. */
int say_json_string(int fd, const char *bytes, size_t length);

#endif
