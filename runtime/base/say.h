/*
 * say - strangers' text within our lines, safe for a terminal (base/escape.h).
 *
 * Use it for names of files, images and sessions, variables, labels: whatever a program in a
 * sandbox, an archive, a server or another user may have chosen. Errors go through err_string().
 */
#ifndef GLOVEBOX_BASE_SAY_H
#define GLOVEBOX_BASE_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"

/* A text within a line. */
void say_line(FILE *to, const char *text);
void say_bytes(FILE *to, const char *bytes, size_t length);

/* The same in a column of at least `width` bytes. */
void say_column(FILE *to, int width, const char *text);

/* "glovebox: " and a line, on stderr. */
void say_warning(const char *text);
void say_error(const struct err *e);

/*
 * What a program of ours has said on its stderr, as say_error() does: the first line, without
 * "glovebox: ". Returns a part of @text; @length: its bytes.
 */
const char *say_heard(const char *text, int *length);

/* Whether what is said on a descriptor becomes entries of systemd's journal (systemd.exec(5)). */
bool say_is_journal(int fd);

/* A text of several lines; newlines stay. Nothing large is copied. */
void say_lines(FILE *to, const char *text);

/*
 * say_json - write a stranger's JSON: the same values, in one line of printable ASCII.
 *
 * @json  valid UTF-8 (json_check_strict()). Characters beyond ASCII occur only in strings and
 *        become \uXXXX; line ends occur only between tokens and become spaces.
 * Returns 0, or -1 with errno. Nothing large is copied.
 */
int say_json(int fd, const struct buf *json);

/* Write bytes as buf_json_string() does. 0, or -1 with errno. Nothing large is copied. */
int say_json_string(int fd, const char *bytes, size_t length);

#endif
